/** What an audit tells, in sentences, and what a person enters to start one. */
import type { Audit, NewAudit } from '../api/review_types.ts'
import { percent } from '../look/format.ts'
import { texts } from '../texts.ts'

const t = texts.requester.audit

/** A percentage without needless decimals: 95%, 97.5%. */
export const shortPercent = (share: number) => `${Number((share * 100).toFixed(2))}%`

/** The report in sentences, the most important first. */
export function auditSentences(audit: Audit): string[] {
  if (audit.checked === 0) return [t.noChecks(audit.missing)]
  const sentences = [t.checked(audit.checked, audit.answers, audit.right)]
  if (audit.contradiction) sentences.push(t.contradiction)
  else if (audit.lower !== null) sentences.push(t.bound(shortPercent(audit.confidence), percent(audit.lower)))
  return sentences
}

/** What is missing for the proof, if the audit has a target. */
export function auditOutlook(audit: Audit): string[] {
  const sentences: string[] = []
  if (audit.kind === 'fixed' && audit.checked > 0 && audit.missing > 0) sentences.push(t.missing(audit.missing))
  if (audit.waiting > 0 && audit.next !== null) sentences.push(t.waiting(audit.waiting, audit.next))
  if (audit.target === null || audit.checked === 0) return sentences
  const target = shortPercent(audit.target)
  if (audit.certified) return [...sentences, t.certified(target)]
  if (audit.contradiction) return [...sentences, t.notCertified(target)]
  const more = audit.checks_to_prove
  return [...sentences, t.notCertified(target), more === null ? t.cannotProve : t.checksToProve(more)]
}

/** Verdicts of an audit that is not finished: a new one would give them up. */
export function unfinishedVerdicts(audit: Audit | null): number {
  if (audit === null || audit.certified) return 0
  return audit.kind === 'fixed' && audit.missing === 0 ? 0 : audit.checked + audit.waiting
}

export interface AuditForm {
  by: 'checks' | 'target'
  checks: string
  /** In percent. */
  target: string
  confidence: number
  /** Whether an unfinished audit may be given up. */
  replace: boolean
}

/** The number of checks to propose: a hundred, or all answers where there are fewer. */
export const proposedChecks = (answers = Infinity): string => String(Math.max(1, Math.min(100, answers)))

/** Reads the form; refuses numbers that no audit can have, and to lose verdicts without a word. */
export function readAuditForm(
  form: AuditForm,
  running: Audit | null = null,
): { ok: true; audit: NewAudit } | { ok: false; trouble: string } {
  if (unfinishedVerdicts(running) > 0 && !form.replace) return { ok: false, trouble: t.mustReplace }
  const { confidence } = form
  const replace = form.replace ? { replace: true as const } : {}
  if (form.by === 'checks') {
    const checks = Number(form.checks)
    if (!/^\d+$/.test(form.checks.trim()) || checks < 1) return { ok: false, trouble: t.badChecks(form.checks) }
    return { ok: true, audit: { checks, confidence, ...replace } }
  }
  const target = Number(form.target.trim().replace(/\s*%$/, '').replace(',', '.'))
  if (!(target >= 1 && target <= 99.9)) return { ok: false, trouble: t.badTarget(form.target) }
  return { ok: true, audit: { until: Number((target / 100).toFixed(6)), confidence, ...replace } }
}
