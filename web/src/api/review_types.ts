// What reviewers and audits exchange with the server, as docs/reference/http.md and /openapi.json describe it.
import type { ByClass, Share, Time } from './report_types.ts'
import type { Fields } from './types.ts'

export type ReviewOrder = 'uncertain' | 'disputed' | 'skipped'

export interface ReviewRow {
  item: string
  fields: Fields
  /** Null, like all that labels tell, for checks of an audit that a reviewer asks for. */
  answer: string | null
  probability: Share | null
  probabilities: ByClass | null
  labels: { worker: string; label: string }[] | null
  /** The share of the labels against the answer. */
  disagreement: Share | null
  skips: number | null
  /** Why the item is in the queue. */
  why: ReviewOrder | 'audit'
}

export interface ItemVerdict {
  answer: string
  reviewer: string
  reason: string
  time: Time
}

export interface Verdict extends ItemVerdict {
  item: string
  /** The answer by labels alone, before the verdict, and its probability. */
  believed: string | null
  stated: Share | null
}

/** A group of answers of similar confidence. */
export interface AuditStratum {
  from: Share
  to: Share
  answers: number
  checked: number
  right: number
  /** Null without a check, like the bounds. */
  estimate: Share | null
  low: Share | null
  high: Share | null
}

export interface Audit {
  number: number
  started: Time
  kind: 'fixed' | 'sequential'
  /** The number of checks of a fixed audit. */
  checks: number | null
  /** The accuracy that a sequential audit tries to prove. */
  target: Share | null
  confidence: Share
  /** The number of answers that the audit is about. */
  answers: number
  drawn: number
  checked: number
  right: number
  /** Verdicts after a draw without one, which do not count yet. */
  waiting: number
  /** Drawn answers without a verdict. */
  missing: number
  /** The first draw without a verdict; null once the target is proven. */
  next: string | null
  /** Whether no accuracy fits the verdicts in their order. */
  contradiction: boolean
  /** Null before the first check, like the bounds. */
  estimate: Share | null
  /** The proven accuracy: a lower bound with the confidence of the audit. */
  lower: Share | null
  low: Share | null
  high: Share | null
  certified: boolean | null
  checks_to_prove: number | null
  shares: { class: string; estimate: Share | null; low: Share | null; high: Share | null }[]
  strata: AuditStratum[]
}

export type NewAudit = ({ checks: number } | { until: Share }) & { confidence?: Share; replace?: true }
