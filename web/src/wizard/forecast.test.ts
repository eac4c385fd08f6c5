import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ForecastRow } from '../api/report_types.ts'
import { budgetsAround, rowNear } from './forecast.ts'

describe('budgetsAround', () => {
  it('has the chosen one, in order, each once, none absurd', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100_000 }), fc.integer({ min: 1, max: 10_000_000 }), (items, labels) => {
        const budgets = budgetsAround(items, labels)
        expect(budgets).toContain(Math.min(labels, items * 100))
        expect([...new Set(budgets)].sort((a, b) => a - b)).toEqual(budgets)
        expect(budgets.every((one) => one >= 1 && one <= items * 100)).toBe(true)
        expect(budgets.length).toBeLessThanOrEqual(12)
      }),
    )
    expect(budgetsAround(10, NaN)).toContain(1)
  })
})

describe('rowNear', () => {
  it('is the row that comes nearest', () => {
    const rows = [10, 20, 40].map((labels) => ({ labels }) as ForecastRow)
    expect(rowNear(rows, 29)?.labels).toBe(20)
    expect(rowNear(rows, 1000)?.labels).toBe(40)
    expect(rowNear([], 1)).toBe(null)
  })
})
