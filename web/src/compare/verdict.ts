// Compares two campaigns on the same items at the same number of labels.
import type { CurvePoint } from '../api/report_types.ts'
import { amount } from '../look/format.ts'

/** The measured accuracy if there is one, else the expected one. */
export function accuracyOf(point: CurvePoint, measured: boolean): number | null {
  return measured ? point.accuracy : point.expected_accuracy
}

/** A number by which a curve is read: labels, or the money spent. */
export type Axis = (point: CurvePoint) => number
const byLabels: Axis = (point) => point.labels
const bySpent: Axis = (point) => amount(point.spent)

/** The accuracy at a place of an axis, on the straight line between two points. */
export function valueAt(curve: CurvePoint[], place: number, measured: boolean, axis: Axis = byLabels): number | null {
  let before: CurvePoint | null = null
  for (const point of curve) {
    if (accuracyOf(point, measured) === null) continue
    if (axis(point) === place) return accuracyOf(point, measured)
    if (axis(point) > place) {
      if (!before) return null
      const low = accuracyOf(before, measured) ?? 0
      const high = accuracyOf(point, measured) ?? 0
      return low + ((high - low) * (place - axis(before))) / (axis(point) - axis(before))
    }
    before = point
  }
  return null
}

/** Two campaigns after they spent equally much. */
export interface EqualCost {
  spent: number
  /** The labels of the campaign that bought fewer of them, about. */
  labels: number
  first: number
  second: number
}

/** Returns null while there is nothing to compare. */
export function atEqualCost(first: CurvePoint[], second: CurvePoint[], measured: boolean): EqualCost | null {
  const spent = Math.min(...[first, second].map((curve) => amount(curve.at(-1)?.spent ?? 0)))
  const [a, b] = [first, second].map((curve) => valueAt(curve, spent, measured, bySpent))
  if (spent <= 0 || a === null || a === undefined || b === null || b === undefined) return null
  const labels = [first, second].map((curve) => curve.findLast((point) => bySpent(point) <= spent)?.labels ?? 0)
  return { spent, labels: Math.min(...labels), first: a, second: b }
}

/** The fewest labels after which a curve never falls below a value again. */
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
  /** The number of labels that both campaigns have. */
  labels: number
  first: number
  second: number
  /** Labels that the leader needed to reach the other's accuracy for good, and labels that the other needed. */
  saving: { accuracy: number; few: number; many: number } | null
}

/** Returns null while there is nothing to compare. */
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
