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
  if (audit.lower !== null) sentences.push(t.bound(shortPercent(audit.confidence), percent(audit.lower)))
  return sentences
}

/** What is missing for the proof, if the audit has a target. */
export function auditOutlook(audit: Audit): string[] {
  const sentences: string[] = []
  if (audit.kind === 'fixed' && audit.checked > 0 && audit.missing > 0) sentences.push(t.missing(audit.missing))
  if (audit.target === null || audit.checked === 0) return sentences
  const target = shortPercent(audit.target)
  if (audit.certified) return [...sentences, t.certified(target)]
  const more = audit.checks_to_prove
  return [...sentences, t.notCertified(target), more === null ? t.cannotProve : t.checksToProve(more)]
}

export interface AuditForm {
  by: 'checks' | 'target'
  checks: string
  /** In percent. */
  target: string
  confidence: number
}

/** Reads the form; refuses numbers that no audit can have. */
export function readAuditForm(form: AuditForm): { ok: true; audit: NewAudit } | { ok: false; trouble: string } {
  const { confidence } = form
  if (form.by === 'checks') {
    const checks = Number(form.checks)
    if (!/^\d+$/.test(form.checks.trim()) || checks < 1) return { ok: false, trouble: t.badChecks(form.checks) }
    return { ok: true, audit: { checks, confidence } }
  }
  const target = Number(form.target.trim().replace(/\s*%$/, '').replace(',', '.'))
  if (!(target >= 1 && target <= 99.9)) return { ok: false, trouble: t.badTarget(form.target) }
  return { ok: true, audit: { until: Number((target / 100).toFixed(6)), confidence } }
}
