import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ForecastRow } from '../api/report_types.ts'
import { budgetsAround, rowOf } from './forecast.ts'

describe('budgetsAround', () => {
  it('holds the chosen budget; all are in order, distinct and within limits', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100_000 }), fc.integer({ min: 1, max: 10_000_000 }), (items, labels) => {
        const budgets = budgetsAround(items, labels)
        expect(budgets).toContain(Math.min(labels, items * 100))
        expect([...new Set(budgets)].sort((a, b) => a - b)).toEqual(budgets)
        expect(budgets.every((budget) => budget >= 1 && budget <= items * 100)).toBe(true)
        expect(budgets.length).toBeLessThanOrEqual(12)
      }),
    )
    expect(budgetsAround(10, NaN)).toContain(1)
  })
})

describe('rowOf', () => {
  it('is the row of the chosen budget, or null', () => {
    const rows = [10, 20, 500].map((budget) => ({ budget }) as ForecastRow)
    expect(rowOf(rows, 5, 20)?.budget).toBe(20)
    expect(rowOf(rows, 5, 20.5)?.budget).toBe(20)
    expect(rowOf(rows, 5, 1e20)?.budget).toBe(500)
    expect(rowOf(rows, 5, 29)).toBe(null)
    expect(rowOf([], 5, 1)).toBe(null)
  })
})
