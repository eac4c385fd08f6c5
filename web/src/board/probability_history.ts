// The probabilities of an item's classes after each of its labels, as lines of a chart.
import type { HistoryEvent } from '../api/report_types.ts'
import type { Line } from '../chart/types.ts'

const kDashes = ['solid', 'dash', 'dot'] as const

/** Lines for the classes that were most probable at the end: at most four, as there are four colours. */
export function probabilityHistory(history: HistoryEvent[]): Line[] {
  const known = history.flatMap(({ what, probabilities }) =>
    (what === 'labelled' || what === 'revised') && probabilities ? [probabilities] : [],
  )
  const last = known.at(-1)
  if (!last) return []
  const names = Object.entries(last)
    .sort(([, a], [, b]) => b - a)
    .slice(0, 4)
    .map(([name]) => name)
  return names.map((name, n) => ({
    name,
    colour: ([1, 2, 3, 4] as const)[n] ?? 4,
    dash: kDashes[n] ?? 'dot',
    points: known.map((probabilities, k) => ({ x: k + 1, y: probabilities[name] ?? null })),
  }))
}
