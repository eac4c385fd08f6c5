/** The form for a recruiting link: its fields, what they mean, and the request that they make. */
import type { NewRecruitingLink, Platform, RecruitingLink } from '../api/recruiting_types.ts'
import { texts } from '../texts.ts'

const t = texts.requester.recruiting

/** Fields as the requester typed them. */
export interface Draft {
  platform: Platform
  idParameter: string
  labels: string
  consent: string
  tests: string
  leastRight: string
  feedback: boolean
  done: string
  screenedOut: string
  noWork: string
  returnUrl: string
  participants: string
  sessions: string
  arrivals: string
  signed: boolean
}

export const emptyDraft = (): Draft => ({
  platform: 'prolific',
  idParameter: 'id',
  labels: '20',
  consent: '',
  tests: '0',
  leastRight: '80',
  feedback: false,
  done: '',
  screenedOut: '',
  noWork: '',
  returnUrl: '',
  participants: '',
  sessions: '1',
  arrivals: '60',
  signed: false,
})

type Checked = { ok: true; request: NewRecruitingLink } | { ok: false; trouble: string }

/** A whole number of at least `least`; an empty field means `usual`. */
function whole(text: string, least: number, usual: number): number | null {
  if (text.trim() === '') return usual
  return /^\d{1,6}$/.test(text.trim()) && Number(text) >= least ? Number(text) : null
}

/** The request that the form makes, or what is wrong with it. `gold` is the number of items with a known answer. */
export function readDraft(draft: Draft, gold: number): Checked {
  const trouble = (text: string): Checked => ({ ok: false, trouble: text })
  const labels = whole(draft.labels, 1, 20)
  const tests = whole(draft.tests, 0, 0)
  const leastRight = whole(draft.leastRight, 0, 80)
  const participants = whole(draft.participants, 0, 0)
  const sessions = whole(draft.sessions, 1, 1)
  const arrivals = whole(draft.arrivals, 1, 60)
  if (labels === null) return trouble(t.badLabels(draft.labels))
  if (tests === null) return trouble(t.badTests(draft.tests))
  if (tests > gold) return trouble(t.fewKnown(tests, gold))
  if (leastRight === null || leastRight > 100) return trouble(t.badShare(draft.leastRight))
  if (participants === null || sessions === null || arrivals === null) return trouble(t.badLimit)
  const url = draft.returnUrl.trim()
  if (url !== '' && !/^(https:\/\/|http:\/\/(127\.0\.0\.1|localhost):)/.test(url)) return trouble(t.badUrl(url))
  const codes = Object.fromEntries(
    Object.entries({ done: draft.done, screened_out: draft.screenedOut, no_work: draft.noWork })
      .map(([name, code]) => [name, code.trim()])
      .filter(([, code]) => code !== ''),
  )
  return {
    ok: true,
    request: {
      platform: draft.platform,
      ...(draft.platform === 'panel' ? { id_parameter: draft.idParameter.trim() } : {}),
      labels,
      consent: draft.consent,
      qualification: { items: tests, least_right: leastRight / 100, feedback: draft.feedback },
      codes,
      ...(url === '' ? {} : { return_url: url }),
      most_participants: participants,
      sessions_per_id: sessions,
      arrivals_per_minute: arrivals,
      signed_arrivals: draft.signed,
    },
  }
}

/** The address to paste into the platform. */
export const studyUrl = (link: RecruitingLink, origin: string) => origin + link.study_path

/** The question that a requester of MTurk creates a HIT with. */
export function externalQuestion(url: string): string {
  const escaped = url.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  return (
    '<ExternalQuestion xmlns="http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2006-07-14/ExternalQuestion.xsd">' +
    `<ExternalURL>${escaped}</ExternalURL><FrameHeight>0</FrameHeight></ExternalQuestion>`
  )
}
