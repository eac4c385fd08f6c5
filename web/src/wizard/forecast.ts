// The budgets of a forecast: a curve around the chosen one.
import type { ForecastRow } from '../api/report_types.ts'

const kMultiples = [1, 2, 3, 4, 5, 7, 10, 15, 20]
const kMaxLabelsPerItem = 100
/** The most classes that the planner can forecast. */
export const kMaxForecastClasses = 20

/** Limits a number of labels to what the planner can forecast. */
function clamp(items: number, labels: number): number {
  return Math.min(Math.max(1, Math.floor(labels || 1)), items * kMaxLabelsPerItem)
}

/** Numbers of labels in order: the chosen one, and round numbers per item up to 1.6 times as many. */
export function budgetsAround(items: number, labels: number): number[] {
  const chosen = clamp(items, labels)
  const most = Math.max(chosen * 1.6, items * 5)
  const all = new Set([chosen])
  for (const multiple of kMultiples) {
    if (multiple * items <= most) all.add(multiple * items)
  }
  all.add(Math.min(Math.floor(most), items * kMaxLabelsPerItem))
  return [...all].sort((a, b) => a - b)
}

/** The row of the chosen budget; null while the rows belong to another budget. */
export function rowOf(rows: ForecastRow[], items: number, labels: number): ForecastRow | null {
  return rows.find((row) => row.budget === clamp(items, labels)) ?? null
}
