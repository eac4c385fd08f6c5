// The probabilities of an item's classes after each of its labels, as lines.
import type { HistoryStep } from '../api/report_types.ts'
import type { Line } from '../chart/types.ts'

const kDashes = ['solid', 'dash', 'dot'] as const

/** The classes that were likeliest in the end, four at most: there are four colours. */
export function courseOf(history: HistoryStep[]): Line[] {
  const known = history.flatMap((step) =>
    (step.what === 'labelled' || step.what === 'revised') && step.probabilities ? [step.probabilities] : [],
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
