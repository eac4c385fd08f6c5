import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bandPath, linePath, niceRange, niceStep, scale, spread, ticks } from './scale.ts'

const unit = { low: 0, high: 1 }

describe('scale', () => {
  it('maps ends to ends and the middle to the middle', () => {
    const y = scale({ low: 10, high: 20 }, { low: 100, high: 0 })
    expect([y(10), y(15), y(20)]).toEqual([100, 50, 0])
    expect(scale({ low: 1, high: 1 }, unit)(1)).toBe(0)
  })
})

describe('ticks', () => {
  it('are multiples of 1, 2 or 5 times a power of ten, within the range', () => {
    expect(ticks({ low: 0, high: 700 }, 7)).toEqual([0, 100, 200, 300, 400, 500, 600, 700])
    expect(ticks({ low: 0.5, high: 1 }, 5)).toEqual([0.5, 0.6, 0.7, 0.8, 0.9, 1])
    fc.assert(
      fc.property(
        fc.double({ min: -1e6, max: 1e6, noNaN: true }),
        fc.double({ min: 1e-3, max: 1e6, noNaN: true }),
        fc.integer({ min: 2, max: 10 }),
        (low, width, count) => {
          const range = { low, high: low + width }
          const step = niceStep(range, count)
          const lead = step / 10 ** Math.floor(Math.log10(step) + 1e-9)
          expect([1, 2, 5]).toContain(Number(lead.toPrecision(6)))
          for (const tick of ticks(range, count)) {
            expect(tick).toBeGreaterThanOrEqual(range.low - step * 1e-6)
            expect(tick).toBeLessThanOrEqual(range.high + step * 1e-6)
          }
          expect(ticks(range, count).length).toBeLessThanOrEqual(2 * count + 1)
        },
      ),
    )
  })
})

describe('niceRange', () => {
  it('holds all values, is wide enough, and stays within the limits', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1 }), (values) => {
        const range = niceRange(values, 0.2, unit)
        expect(range.low).toBeLessThanOrEqual(Math.min(...values) + 1e-9)
        expect(range.high).toBeGreaterThanOrEqual(Math.max(...values) - 1e-9)
        expect(range.high - range.low).toBeGreaterThanOrEqual(0.2 - 1e-9)
        expect(range.low).toBeGreaterThanOrEqual(0)
        expect(range.high).toBeLessThanOrEqual(1)
      }),
    )
  })
  it('is the limits if there are no values', () => expect(niceRange([], 0.2, unit)).toEqual(unit))
})

describe('spread', () => {
  it('keeps labels apart, in order and within the range, and moves none needlessly', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 100, noNaN: true }), { maxLength: 5 }), (places) => {
        const moved = spread(places, 17, { low: 0, high: 100 })
        const pairs = places.map((place, n) => ({ place, to: moved[n] ?? NaN })).sort((a, b) => a.to - b.to)
        pairs.forEach((pair, n) => {
          expect(pair.to).toBeGreaterThanOrEqual(-1e-9)
          expect(pair.to).toBeLessThanOrEqual(100 + 1e-9)
          const next = pairs[n + 1]
          if (!next) return
          expect(next.to - pair.to).toBeGreaterThanOrEqual(17 - 1e-6)
          expect(next.place).toBeGreaterThanOrEqual(pair.place)
        })
      }),
    )
    expect(spread([10, 50, 90], 17, { low: 0, high: 100 })).toEqual([10, 50, 90])
  })
})

describe('paths', () => {
  it('break where a value is missing', () => {
    expect(
      linePath([
        { x: 0, y: 1 },
        { x: 1, y: null },
        { x: 2, y: 3 },
        { x: 3, y: 4 },
      ]),
    ).toBe('M0.0 1.0M2.0 3.0L3.0 4.0')
  })
  it('surround a band', () => {
    expect(
      bandPath([
        { x: 0, low: 1, high: 2 },
        { x: 1, low: 3, high: 4 },
      ]),
    ).toBe('M0.0 2.0L1.0 4.0L1.0 3.0L0.0 1.0Z')
    expect(bandPath([])).toBe('')
  })
})
