// The answer of an item now, and what it would be after each possible label.
import type { ByClass, LeasedItem } from '../api/report_types.ts'

export interface BestAnswer {
  answer: string
  probability: number
}

/** The most probable class; the first one of those within a relative 1e-9 of it. */
export function bestAnswer(probabilities: ByClass): BestAnswer | null {
  const largest = Math.max(...Object.values(probabilities))
  const best = Object.entries(probabilities).find(([, probability]) => probability >= largest * (1 - 1e-9))
  return best ? { answer: best[0], probability: largest } : null
}

/** The best answer after a label, and the chance of that label. */
export interface LabelOutcome extends BestAnswer {
  label: string
  chance: number
}

export interface LabelOutlook {
  now: BestAnswer
  /** Outcomes by label, the most likely first. */
  outcomes: LabelOutcome[]
  /** Whether some label changes the answer. */
  canChange: boolean
}

export function labelOutlook(item: Pick<LeasedItem, 'probabilities' | 'why'>): LabelOutlook | null {
  const now = bestAnswer(item.probabilities)
  if (!now) return null
  const outcomes: LabelOutcome[] = []
  for (const [label, { chance, then }] of Object.entries(item.why.outlook)) {
    const best = bestAnswer(then)
    if (best) outcomes.push({ label, chance, ...best })
  }
  outcomes.sort((a, b) => b.chance - a.chance)
  return { now, outcomes, canChange: outcomes.some(({ answer }) => answer !== now.answer) }
}
