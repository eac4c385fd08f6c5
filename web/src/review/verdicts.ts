/** The reviewer's own verdicts: those that the server knows, and those that are on their way. */
import type { ReviewRow, Verdict } from '../api/review_types.ts'
import type { Unsent } from '../label/outbox.ts'

export interface UnsentVerdict extends Unsent {
  what: 'verdict' | 'undo'
  /** Absent when a verdict is taken back. */
  answer?: string
  reason?: string
}

export const isUnsentVerdict = (entry: Partial<UnsentVerdict>) => entry.what === 'undo' || typeof entry.answer === 'string'

export interface OwnVerdict {
  item: string
  answer: string
  reason: string
  /** Milliseconds since 1970. */
  time: number
  /** The answer by labels alone, before the verdict, and its probability. */
  believed: string | null
  stated: number | null
  /** The item as the queue had it; null if the verdict is from before this page was loaded. */
  row: ReviewRow | null
}

/** Verdicts that the server reported, changed by those on their way; the newest first. */
export function withUnsent(reported: Verdict[], unsent: UnsentVerdict[]): OwnVerdict[] {
  const own = new Map<string, OwnVerdict>()
  for (const { item, answer, reason, time, believed, stated } of reported) {
    own.set(item, { item, answer, reason, time: Date.parse(time), believed, stated, row: null })
  }
  for (const { what, item, answer = '', reason = '', made } of unsent) {
    if (what === 'undo') own.delete(item)
    else if (!own.has(item)) own.set(item, { item, answer, reason, time: made, believed: null, stated: null, row: null })
  }
  return [...own.values()].sort((a, b) => b.time - a.time)
}

export const isToday = (time: number, now = new Date()) => new Date(time).toDateString() === now.toDateString()
