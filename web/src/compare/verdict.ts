// Two campaigns on the same items: who is ahead, and by how much, at the same number of labels.
import type { CurvePoint } from '../api/report_types.ts'

/** What is right if that is known, else what is expected. */
export function accuracyOf(point: CurvePoint, measured: boolean): number | null {
  return measured ? point.accuracy : point.expected_accuracy
}

/** The value of a curve with so many labels: between two points on the straight line. */
export function valueAt(curve: CurvePoint[], labels: number, measured: boolean): number | null {
  let before: CurvePoint | null = null
  for (const point of curve) {
    if (accuracyOf(point, measured) === null) continue
    if (point.labels === labels) return accuracyOf(point, measured)
    if (point.labels > labels) {
      if (!before) return null
      const low = accuracyOf(before, measured) ?? 0
      const high = accuracyOf(point, measured) ?? 0
      return low + ((high - low) * (labels - before.labels)) / (point.labels - before.labels)
    }
    before = point
  }
  return null
}

/** The fewest labels from which on a curve is never below a value again. */
export function labelsFor(curve: CurvePoint[], value: number, measured: boolean): number | null {
  let since: number | null = null
  for (const point of curve) {
    const accuracy = accuracyOf(point, measured)
    if (accuracy === null) continue
    if (accuracy < value) since = null
    else since ??= point.labels
  }
  return since
}

export interface Verdict {
  /** How many labels both have. */
  labels: number
  first: number
  second: number
  /** Of the one that is ahead: labels it took to stay where the other is now. */
  saving: { accuracy: number; few: number; many: number } | null
}

/** Null while there is nothing to compare. */
export function verdict(first: CurvePoint[], second: CurvePoint[], measured: boolean): Verdict | null {
  const labels = Math.min(first.at(-1)?.labels ?? 0, second.at(-1)?.labels ?? 0)
  const [a, b] = [valueAt(first, labels, measured), valueAt(second, labels, measured)]
  if (labels === 0 || a === null || b === null) return null
  const accuracy = Math.min(a, b)
  const few = labelsFor(a > b ? first : second, accuracy, measured)
  return {
    labels,
    first: a,
    second: b,
    saving: a !== b && few !== null && few < labels * 0.95 ? { accuracy, few, many: labels } : null,
  }
}
