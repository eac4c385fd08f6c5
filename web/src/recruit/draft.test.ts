import { describe, expect, it } from 'vitest'
import { emptyDraft, externalQuestion, readDraft } from './draft.ts'

describe('readDraft', () => {
  it('makes a request of the usual terms', () => {
    const read = readDraft(emptyDraft(), 0)
    expect(read).toEqual({
      ok: true,
      request: {
        platform: 'prolific',
        labels: 20,
        consent: '',
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

describe('externalQuestion', () => {
  it('escapes the address', () => {
    expect(externalQuestion('https://x.org/join/a/b?c=1&d=2')).toContain('<ExternalURL>https://x.org/join/a/b?c=1&amp;d=2<')
  })
})
