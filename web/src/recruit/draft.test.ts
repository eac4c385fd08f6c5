import { describe, expect, it } from 'vitest'
import type { Platform, RecruitingLink } from '../api/recruiting_types.ts'
import { codesOf, consentOf, emptyDraft, externalQuestion, linkName, paidSessions, readDraft } from './draft.ts'

describe('readDraft', () => {
  it('makes a request of the usual terms', () => {
    const read = readDraft(emptyDraft(), 0)
    expect(read).toEqual({
      ok: true,
      request: {
        platform: 'prolific',
        labels: 20,
        consent: consentOf(emptyDraft(), null),
        qualification: { items: 0, least_right: 0.8, feedback: false },
        codes: {},
        most_participants: 0,
        sessions_per_id: 1,
        arrivals_per_minute: 60,
        signed_arrivals: false,
      },
    })
  })

  it('sends the codes that were given, and the parameter of a panel only', () => {
    const read = readDraft({ ...emptyDraft(), platform: 'panel', idParameter: ' PID ', noWork: ' N1 ' }, 0)
    expect(read.ok && read.request).toMatchObject({ id_parameter: 'PID', codes: { no_work: 'N1' } })
    const prolific = readDraft(emptyDraft(), 0)
    expect(prolific.ok && prolific.request.id_parameter).toBeUndefined()
  })

  it('says what is wrong', () => {
    const trouble = (change: object, gold = 5) => {
      const read = readDraft({ ...emptyDraft(), ...change }, gold)
      return read.ok ? '' : read.trouble
    }
    expect(trouble({ labels: '0' })).toContain('“0”')
    expect(trouble({ labels: 'many' })).toContain('“many”')
    expect(trouble({ tests: '6' })).toContain('5')
    expect(trouble({ tests: '-1' })).not.toBe('')
    expect(trouble({ leastRight: '101' })).toContain('101')
    expect(trouble({ sessions: '0' })).not.toBe('')
    expect(trouble({ returnUrl: 'javascript:alert(1)' })).toContain('https://')
    expect(trouble({ returnUrl: 'http://example.com/' })).toContain('https://')
    expect(trouble({ returnUrl: 'https://example.com/{code}' })).toBe('')
  })
})

describe('the proposed form', () => {
  it('asks no more questions than there are items', () => {
    expect([emptyDraft(10), emptyDraft(500), emptyDraft(0)].map(({ labels }) => labels)).toEqual(['10', '20', '1'])
  })

  it('proposes a consent text that follows the number of questions until someone writes another', () => {
    const draft = emptyDraft(10)
    expect(consentOf(draft, null)).toContain('about 2 minutes')
    expect(consentOf(draft, null)).toContain('reward that the platform shows')
    expect(consentOf(draft, '€0.05')).toContain('You are paid €0.05 per answer.')
    draft.labels = '60'
    expect(consentOf(draft, null)).toContain('about 10 minutes')
    draft.labels = 'many'
    expect(consentOf(draft, null)).toContain('about 4 minutes')
    draft.consent = 'Mine.'
    expect(consentOf(draft, null)).toBe('Mine.')
    draft.consent = ''
    expect(consentOf(draft, null)).toBe('')
  })

  it('tells how many sessions the budget pays for', () => {
    const draft = { ...emptyDraft(10), tests: '2' }
    expect([paidSessions(draft, 6, 0.05), paidSessions(draft, 0.5, 0.05), paidSessions(draft, 1, 0)]).toEqual([10, 0, null])
    expect(paidSessions({ ...draft, labels: 'x' }, 6, 1)).toBeNull()
  })
})

const link = (id: string, platform: Platform, tests = 0) =>
  ({ id, terms: { platform, codes: { done: 'D', screened_out: 'S', no_work: 'N', incomplete: 'I' }, qualification: { items: tests } } }) as RecruitingLink

describe('links', () => {
  it('of one platform have numbers', () => {
    const links = [link('a', 'prolific'), link('b', 'mturk'), link('c', 'prolific')]
    expect(links.map((one) => linkName(one, links))).toEqual(['Prolific, link 1', 'Mechanical Turk', 'Prolific, link 2'])
  })

  it('have a code for people who fail only where they can fail', () => {
    expect(codesOf(link('a', 'sona')).map(({ code }) => code)).toEqual(['D', 'N', 'I'])
    expect(codesOf(link('a', 'sona', 3)).map(({ code }) => code)).toEqual(['D', 'S', 'N', 'I'])
  })
})

describe('externalQuestion', () => {
  it('escapes the address', () => {
    expect(externalQuestion('https://x.org/join/a/b?c=1&d=2')).toContain('<ExternalURL>https://x.org/join/a/b?c=1&amp;d=2<')
  })
})
