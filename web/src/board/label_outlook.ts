// The answer of an item now, and what it would be after each possible label.
import type { ByClass, LeasedItem } from '../api/report_types.ts'

export interface BestAnswer {
  answer: string
  probability: number
}

/** The most probable class; the first one in a tie. */
export function bestAnswer(probabilities: ByClass): BestAnswer | null {
  let best: BestAnswer | null = null
  for (const [answer, probability] of Object.entries(probabilities)) {
    if (best === null || probability > best.probability) best = { answer, probability }
  }
  return best
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
