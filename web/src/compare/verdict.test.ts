import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CurvePoint } from '../api/report_types.ts'
import { atEqualCost, labelsFor, valueAt, verdict } from './verdict.ts'

const curve = (values: (number | null)[], step = 10): CurvePoint[] =>
  values.map((accuracy, n) => ({
    labels: n * step,
    spent: n,
    time: '2026-01-01T00:00:00Z',
    expected_accuracy: 0.5,
    calibrated: null,
    known_answers: 0,
    bound: null,
    accuracy,
  }))

describe('valueAt', () => {
  it('is on the straight line between two points', () => {
    expect(valueAt(curve([0.5, 0.7]), 5, true)).toBeCloseTo(0.6)
    expect(valueAt(curve([0.5, 0.7]), 10, true)).toBe(0.7)
    expect(valueAt(curve([0.5, 0.7]), 11, true)).toBe(null)
    expect(valueAt(curve([null, 0.7, 0.8]), 5, true)).toBe(null)
    expect(valueAt(curve([null, 0.7]), 5, false)).toBe(0.5)
  })
})

describe('labelsFor', () => {
  it('is the first point after which none is lower', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 10 })), fc.integer({ min: 0, max: 10 }), (values, least) => {
        const points = curve(values)
        const plain = points.findIndex((_, n) => points.slice(n).every((point) => (point.accuracy ?? 0) >= least))
        expect(labelsFor(points, least, true)).toBe(plain < 0 ? null : plain * 10)
      }),
    )
  })
})

describe('verdict', () => {
  it('compares at the number of labels that both have', () => {
    expect(verdict(curve([0.5, 0.8, 0.9]), curve([0.5, 0.6, 0.7, 0.75]), true)).toEqual({
      labels: 20,
      first: 0.9,
      second: 0.7,
      saving: { accuracy: 0.7, few: 10, many: 20 },
    })
  })
  it('is null before there are labels', () => {
    expect(verdict(curve([0.5]), curve([0.5]), true)).toBe(null)
    expect(verdict([], curve([0.5, 0.6]), true)).toBe(null)
  })
  it('has no saving where both are level', () => {
    expect(verdict(curve([0.5, 0.6]), curve([0.5, 0.6]), true)?.saving).toBe(null)
  })
})

describe('atEqualCost', () => {
  const spending = (points: [spent: number, accuracy: number][]): CurvePoint[] =>
    curve(points.map(([, accuracy]) => accuracy)).map((point, n) => ({ ...point, spent: String(points[n]?.[0] ?? 0) }))

  it('compares where both have spent equally much, however many labels that bought', () => {
    const first = spending([[0, 0.5], [2, 0.8], [4, 0.9]])
    const second = spending([[0, 0.5], [1, 0.6], [3, 0.8]])
    const found = atEqualCost(first, second, true)
    expect(found).toMatchObject({ spent: 3, labels: 10, second: 0.8 })
    expect(found?.first).toBeCloseTo(0.85)
  })

  it('is null before both have spent something', () => {
    expect(atEqualCost(spending([[0, 0.5]]), spending([[0, 0.5], [1, 0.6]]), true)).toBe(null)
    expect(atEqualCost([], [], true)).toBe(null)
  })
})
