/** The form for a recruiting link: its fields, what they mean, and the request that they make. */
import type { NewRecruitingLink, Platform, RecruitingLink } from '../api/recruiting_types.ts'
import { texts } from '../texts.ts'

const t = texts.requester.recruiting

/** Fields as the requester typed them. */
export interface Draft {
  platform: Platform
  idParameter: string
  labels: string
  /** Null while it is the proposed text, which follows the number of questions. */
  consent: string | null
  tests: string
  leastRight: string
  feedback: boolean
  done: string
  screenedOut: string
  noWork: string
  incomplete: string
  returnUrl: string
  participants: string
  sessions: string
  arrivals: string
  signed: boolean
}

/** Questions per session where there are enough items. */
const kUsualLabels = 20
/** Seconds per question, to propose how long a session takes. */
const kSecondsPerLabel = 10

/** The form for a campaign with that many items. */
export const emptyDraft = (items = Infinity): Draft => ({
  platform: 'prolific',
  idParameter: 'id',
  labels: String(Math.max(1, Math.min(kUsualLabels, items))),
  consent: null,
  tests: '0',
  leastRight: '80',
  feedback: false,
  done: '',
  screenedOut: '',
  noWork: '',
  incomplete: '',
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

/** The text that participants agree to: the requester's, or a proposal with the price per answer, if it is money. */
export function consentOf(draft: Draft, price: string | null): string {
  if (draft.consent !== null) return draft.consent
  const questions = (whole(draft.labels, 1, kUsualLabels) ?? kUsualLabels) + (whole(draft.tests, 0, 0) ?? 0)
  return t.proposedConsent(Math.max(1, Math.ceil((questions * kSecondsPerLabel) / 60)), price)
}

/** How many sessions the rest of the budget pays for, about; null if the form has no number of questions. */
export function paidSessions(draft: Draft, left: number, price: number): number | null {
  const labels = whole(draft.labels, 1, kUsualLabels)
  const tests = whole(draft.tests, 0, 0)
  if (labels === null || tests === null || !(price > 0)) return null
  return Math.floor(left / (price * (labels + tests)) + 1e-9)
}

/**
 * The request that the form makes, or what is wrong with it. `gold` is the number of items with a known answer,
 * `price` what an answer pays, if it is money.
 */
export function readDraft(draft: Draft, gold: number, price: string | null = null): Checked {
  const trouble = (text: string): Checked => ({ ok: false, trouble: text })
  const labels = whole(draft.labels, 1, kUsualLabels)
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
    Object.entries({ done: draft.done, screened_out: draft.screenedOut, no_work: draft.noWork, incomplete: draft.incomplete })
      .map(([name, code]) => [name, code.trim()])
      .filter(([, code]) => code !== ''),
  )
  return {
    ok: true,
    request: {
      platform: draft.platform,
      ...(draft.platform === 'panel' ? { id_parameter: draft.idParameter.trim() } : {}),
      labels,
      consent: consentOf(draft, price),
      qualification: { items: tests, least_right: leastRight / 100, feedback: draft.feedback },
      codes,
      ...(url === '' ? {} : { return_url: url }),
      most_participants: participants,
      sessions_per_id: sessions,
      arrivals_per_minute: arrivals,
      signed_arrivals: draft.platform === 'panel' && draft.signed,
    },
  }
}

/** The name of a link: its platform, with a number if the campaign has more links of it. */
export function linkName(link: RecruitingLink, links: RecruitingLink[]): string {
  const same = links.filter(({ terms }) => terms.platform === link.terms.platform)
  const name = t.platforms[link.terms.platform]
  return same.length > 1 ? t.numbered(name, same.findIndex(({ id }) => id === link.id) + 1) : name
}

/** The codes that participants of a link can bring back, with the outcomes they stand for and what to do then. */
export function codesOf({ terms }: RecruitingLink): { outcome: string; hint: string; code: string }[] {
  const { codes } = terms
  return [
    { outcome: t.done, hint: t.codeHints.done, code: codes.done },
    ...(terms.qualification.items > 0
      ? [{ outcome: t.screenedOut, hint: t.codeHints.screenedOut, code: codes.screened_out }]
      : []),
    { outcome: t.noWork, hint: t.codeHints.noWork, code: codes.no_work },
    // A link of an older version has no code of its own for this.
    ...(codes.incomplete === codes.no_work
      ? []
      : [{ outcome: t.incomplete, hint: t.codeHints.incomplete, code: codes.incomplete }]),
  ]
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
