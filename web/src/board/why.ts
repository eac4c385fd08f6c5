// Why an item is asked, in figures that a person can read: what its answer is now, and what it
// would be after each label that may come.
import type { Asked, ByClass } from '../api/report_types.ts'

export interface Likeliest {
  answer: string
  probability: number
}

/** The likeliest class; of equal ones the first. */
export function likeliest(probabilities: ByClass): Likeliest | null {
  let best: Likeliest | null = null
  for (const [answer, probability] of Object.entries(probabilities)) {
    if (best === null || probability > best.probability) best = { answer, probability }
  }
  return best
}

export interface IfSaid extends Likeliest {
  label: string
  chance: number
}

export interface Reasons {
  now: Likeliest
  /** By label, the likeliest first. */
  then: IfSaid[]
  /** Whether some label turns the answer. */
  turns: boolean
}

export function reasons(asked: Pick<Asked, 'probabilities' | 'why'>): Reasons | null {
  const now = likeliest(asked.probabilities)
  if (!now) return null
  const then: IfSaid[] = []
  for (const [label, { chance, then: after }] of Object.entries(asked.why.outlook)) {
    const best = likeliest(after)
    if (best) then.push({ label, chance, ...best })
  }
  then.sort((a, b) => b.chance - a.chance)
  return { now, then, turns: then.some((one) => one.answer !== now.answer) }
}
