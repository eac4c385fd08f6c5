/** What the labels of an item say: per class its probability and the workers who chose it. */
import type { ReviewRow } from '../api/review_types.ts'

export interface ClassEvidence {
  name: string
  probability: number
  workers: string[]
}

const kMaxClasses = 12

/** Classes with a label, and the most probable of the others; the most probable first. */
export function evidence({ probabilities, labels }: Pick<ReviewRow, 'probabilities' | 'labels'>): ClassEvidence[] {
  const all = Object.entries(probabilities ?? {})
    .map(([name, probability]) => ({
      name,
      probability,
      workers: (labels ?? []).filter(({ label }) => label === name).map(({ worker }) => worker),
    }))
    .sort((a, b) => b.probability - a.probability)
  return all.filter(({ workers }, n) => n < kMaxClasses || workers.length > 0)
}
