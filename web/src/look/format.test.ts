import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { count, excerpt, money, moneyIn, moneyLike, moment, percent, points, setMoney, short, span } from './format.ts'

describe('percent', () => {
  it('writes 100% and 0% only for exact values', () => {
    expect([percent(0.5), percent(1), percent(0), percent(0.99999), percent(0.00001)]).toEqual([
      '50.0%',
      '100.0%',
      '0.0%',
      '>99.9%',
      '<0.1%',
    ])
    expect(percent(0.999, 0)).toBe('>99%')
    expect(percent(null)).toBe('–')
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, noNaN: true }), fc.integer({ min: 0, max: 2 }), (share, digits) => {
        const text = percent(share, digits)
        if (share < 1) expect(text).not.toBe(percent(1, digits))
        if (share > 0) expect(text).not.toBe(percent(0, digits))
      }),
    )
  })
})

describe('currency', () => {
  it('is written with every amount, with its decimals', () => {
    setMoney('EUR')
    expect([money(1234.5), money(7), money('0.05'), money(0)]).toEqual(['€1,234.50', '€7.00', '€0.05', '€0.00'])
    expect([moneyLike(1.5)(2), moneyIn('JPY')(700), moneyIn('USD')(0.0125)]).toEqual(['€2.00', '¥700', '$0.0125'])
    setMoney(null)
    expect(money(7)).toBe('7')
  })
})

describe('amounts of one campaign', () => {
  it('all have decimals if its price or budget has some', () => {
    setMoney(null, '0.05', 10)
    expect([money(1), money(0), money(0.2), moneyLike(3)(4)]).toEqual(['1.00', '0.00', '0.20', '4.00'])
    setMoney(null, 1, 50)
    expect([money(1), money(0)]).toEqual(['1', '0'])
    setMoney(null)
  })
})

describe('numbers', () => {
  it('have separators and few digits', () => {
    expect([count(1234567), short(9999), short(12_345)]).toEqual(['1,234,567', '9,999', '12.3K'])
    expect([money(1234.5), money('0.05'), money(0), money(0.00012345)]).toEqual(['1,234.50', '0.05', '0', '0.000123'])
    expect([money(1234), money(0.9), money('0.125'), money(1.004)]).toEqual(['1,234', '0.90', '0.125', '1.00'])
    expect([points(0.048), points(-0.1), points(0.0001)]).toEqual(['+4.8', '−10.0', '±0.0'])
  })
})

describe('moneyLike', () => {
  it('writes decimals for all amounts or for none', () => {
    expect(['1.2', 1, 0, 4.31].map(moneyLike('1.2', 1))).toEqual(['1.20', '1.00', '0.00', '4.31'])
    expect([63, 0, 1250].map(moneyLike(63, '0'))).toEqual(['63', '0', '1,250'])
  })
})

describe('times', () => {
  it('are short', () => {
    expect([span(400), span(45_000), span(180_000), span(7_200_000), span(400_000_000)]).toEqual([
      '0 s',
      '45 s',
      '3 min',
      '2 h',
      '5 d',
    ])
    const now = new Date(2026, 2, 1, 12, 0, 0)
    expect(moment(new Date(2026, 2, 1, 9, 5, 6).toISOString(), now)).toBe('09:05:06')
    expect(moment(new Date(2026, 1, 27, 9, 5, 6).toISOString(), now)).toBe('Feb 27, 2026, 09:05:06')
  })
})

describe('excerpt', () => {
  it('is one short line', () => {
    expect(excerpt({ text: 'a\n  b', n: 3, none: null, empty: '' })).toBe('a b · 3')
    expect(excerpt({ text: 'x'.repeat(300) }, 20)).toBe('x'.repeat(19) + '…')
  })
})
