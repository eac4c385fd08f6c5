// Which budgets a forecast is asked for: a curve around the one that was chosen.
import type { ForecastRow } from '../api/report_types.ts'

const kMultiples = [1, 2, 3, 4, 5, 7, 10, 15, 20]
const kMostLabelsAnItem = 100
/** Classes that there are forecasts for. */
export const kMostForeseen = 20

/** The labels that a forecast is asked for if so many are wanted. */
function within(items: number, labels: number): number {
  return Math.min(Math.max(1, Math.floor(labels || 1)), items * kMostLabelsAnItem)
}

/** Labels, in order: some an item up to twice what was chosen, and just that. */
export function budgetsAround(items: number, labels: number): number[] {
  const chosen = within(items, labels)
  const most = Math.max(chosen * 1.6, items * 5)
  const all = new Set([chosen])
  for (const multiple of kMultiples) {
    if (multiple * items <= most) all.add(multiple * items)
  }
  all.add(Math.min(Math.floor(most), items * kMostLabelsAnItem))
  return [...all].sort((a, b) => a - b)
}

/** The row of what was chosen; none while the rows are those of another budget. */
export function rowOf(rows: ForecastRow[], items: number, labels: number): ForecastRow | null {
  return rows.find((row) => row.budget === within(items, labels)) ?? null
}
