import { describe, expect, it } from 'vitest'
import type { Audit } from '../api/review_types.ts'
import { auditOutlook, auditSentences, proposedChecks, readAuditForm, unfinishedVerdicts } from './audit.ts'

const fixed: Audit = {
  number: 1,
  started: '2026-01-01T00:00:00Z',
  kind: 'fixed',
  checks: 100,
  target: null,
  confidence: 0.95,
  answers: 1000,
  drawn: 100,
  checked: 100,
  right: 91,
  waiting: 0,
  missing: 0,
  next: null,
  contradiction: false,
  estimate: 0.912,
  lower: 0.8637,
  low: 0.85,
  high: 0.95,
  certified: null,
  checks_to_prove: null,
  shares: [],
  strata: [],
}
const sequential: Audit = { ...fixed, kind: 'sequential', checks: null, target: 0.95, certified: false, checks_to_prove: 60 }

describe('auditSentences', () => {
  it('state the checks and the proven accuracy', () => {
    expect(auditSentences(fixed)).toEqual([
      'Checked 100 of 1,000 answers: 91 right.',
      'With 95% confidence at least 86.4% of all answers are right.',
    ])
  })

  it('claim nothing before the first check', () => {
    expect(auditSentences({ ...fixed, checked: 0, right: 0, missing: 100, lower: 0 })).toEqual([
      'No answer is checked yet. 100 answers wait for a reviewer.',
    ])
    expect(auditSentences({ ...sequential, checked: 0, right: 0, missing: 0, lower: null })).toEqual([
      'No answer is checked yet. Answers wait for a reviewer.',
    ])
  })
})

describe('auditOutlook', () => {
  it('names answers that count as wrong until they are checked', () => {
    expect(auditOutlook({ ...fixed, checked: 99, missing: 1 })).toEqual([
      '1 drawn answer waits for a check and counts as wrong until then.',
    ])
    expect(auditOutlook(fixed)).toEqual([])
  })

  it('tells how many more checks would prove the target', () => {
    expect(auditOutlook(sequential)).toEqual([
      'It is not proven yet that at least 95% of the answers are right.',
      'About 60 more checks would prove it, if answers stay as right as so far.',
    ])
    expect(auditOutlook({ ...sequential, checks_to_prove: null })[1]).toContain('do not suggest')
    expect(auditOutlook({ ...sequential, target: 0.975, certified: true })).toEqual([
      'Proven: at least 97.5% of the answers are right.',
    ])
  })
})

describe('an audit that is not as planned', () => {
  it('names the item for which verdicts wait', () => {
    expect(auditOutlook({ ...sequential, waiting: 2, next: 'i7' })[0]).toBe(
      '2 later verdicts wait until item i7, which was drawn before, is checked.',
    )
  })

  it('claims nothing where verdicts contradict the random order', () => {
    const odd = { ...sequential, contradiction: true, checks_to_prove: null }
    expect(auditSentences(odd)[1]).toContain('contradict the random order')
    expect(auditOutlook(odd)).toEqual(['It is not proven yet that at least 95% of the answers are right.'])
  })
})

describe('readAuditForm', () => {
  const form = { by: 'checks', checks: '100', target: '95', confidence: 0.9, replace: false } as const

  it('asks before verdicts of an unfinished audit are given up', () => {
    expect(unfinishedVerdicts(null)).toBe(0)
    expect(unfinishedVerdicts(fixed)).toBe(0)
    expect(unfinishedVerdicts({ ...sequential, certified: true })).toBe(0)
    expect(unfinishedVerdicts({ ...sequential, checked: 3, waiting: 2 })).toBe(5)
    const running = { ...fixed, checked: 40, missing: 60 }
    expect(readAuditForm(form, running).ok).toBe(false)
    expect(readAuditForm({ ...form, replace: true }, running)).toEqual({
      ok: true,
      audit: { checks: 100, confidence: 0.9, replace: true },
    })
  })

  it('reads a number of checks', () => {
    expect(readAuditForm(form)).toEqual({ ok: true, audit: { checks: 100, confidence: 0.9 } })
    for (const checks of ['', '0', '-3', '1.5', 'many']) expect(readAuditForm({ ...form, checks }).ok).toBe(false)
  })

  it('reads a target in percent', () => {
    for (const [target, until] of [['95', 0.95], ['97.5 %', 0.975], ['97,5', 0.975], ['99.9', 0.999]] as const) {
      expect(readAuditForm({ ...form, by: 'target', target })).toEqual({ ok: true, audit: { until, confidence: 0.9 } })
    }
    for (const target of ['', '0.95', '100', 'all']) expect(readAuditForm({ ...form, by: 'target', target }).ok).toBe(false)
  })
})

describe('proposedChecks', () => {
  it('is a hundred, or all answers where there are fewer', () => {
    expect([proposedChecks(5000), proposedChecks(10), proposedChecks(0), proposedChecks()]).toEqual(['100', '10', '1', '100'])
  })
})
