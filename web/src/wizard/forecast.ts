// Which budgets a forecast is asked for: a curve around the one that was chosen.
import type { ForecastRow } from '../api/report_types.ts'

const kMultiples = [1, 2, 3, 4, 5, 7, 10, 15, 20]
const kMostLabelsAnItem = 100

/** Labels, in order: some an item up to twice what was chosen, and just that. */
export function budgetsAround(items: number, labels: number): number[] {
  const chosen = Math.min(Math.max(1, Math.floor(labels || 1)), items * kMostLabelsAnItem)
  const most = Math.max(chosen * 1.6, items * 5)
  const all = new Set([chosen])
  for (const multiple of kMultiples) {
    if (multiple * items <= most) all.add(multiple * items)
  }
  all.add(Math.min(Math.floor(most), items * kMostLabelsAnItem))
  return [...all].sort((a, b) => a - b)
}

/** The row of so many labels, or the one that comes nearest. */
export function rowNear(rows: ForecastRow[], labels: number): ForecastRow | null {
  let best: ForecastRow | null = null
  for (const row of rows) {
    if (!best || Math.abs(row.labels - labels) < Math.abs(best.labels - labels)) best = row
  }
  return best
}
