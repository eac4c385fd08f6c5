/** Replies of the server, as docs/reference/http.md and /openapi.json describe them. Times are ISO texts. */

/** An amount of money: a number, or a text where every digit counts. */
export type Amount = number | string

export type FieldKind = 'text' | 'image' | 'audio' | 'html' | 'hidden'

/** The parts of a campaign that its workers see. */
export interface Page {
  question?: string
  instructions?: string
  fields?: Record<string, FieldKind>
  /** All classes in the order shown; none for names and order of the campaign. */
  classes?: PageClass[]
  /** Whether each worker sees the classes of each item in another order. */
  shuffle?: boolean
  /** ISO 4217 code. */
  currency?: string | null
}

/** A class as workers see it; an empty name stands for the class itself. */
export interface PageClass {
  class: string
  name: string
  example: string
}

export interface Me {
  role: 'admin' | 'requester' | 'worker' | 'reviewer' | 'participant' | 'monitor'
  label: string
  worker: string | null
  reviewer: string | null
  /** The address of the server for browsers, if the operator named one. */
  public_url?: string | null
  /** Null for a server on a database. */
  data_folder?: string | null
  campaign: {
    id: string
    name: string
    classes: string[]
    labels: number
    at_hand: number
    page?: Page
    phase?: string
    earned?: Amount
    /** Only for participants. */
    session?: SessionProgress | null
  } | null
}

/** How a participant's session ended, and the way back to the platform. */
export interface SessionEnd {
  outcome: 'done' | 'screened-out' | 'no-work' | 'incomplete'
  code: string
  return_url: string | null
  form: { action: string; fields: Record<string, string> } | null
}

/** A participant's session: `labels` of `of` are given, and `skipped` items were skipped. */
export interface SessionProgress {
  labels: number
  of: number
  skipped: number
  /** While it lasts. */
  qualification: { tried: number; of: number; feedback: boolean } | null
  end: SessionEnd | null
}

/** What a recruiting link is about. */
export interface Study {
  name: string
  platform: string
  id_parameter: string
  session_parameter: string
  capture: string[]
  classes: string[]
  page: Page
  consent: string
  /** Whether new participants can join. */
  open: boolean
  labels: number
  qualification: number
  /** Per label; null if items have their own prices. */
  price?: Amount | null
  /** Median of the latest sessions that were done. */
  seconds?: number | null
  sample: Fields | null
}

/** A participant's credential. */
export interface Joined {
  token: string
  campaign: string
  back: boolean
}

export type Fields = Record<string, unknown>

export interface Assignment {
  item: string
  fields: Fields
  price: Amount
  expires: string
  /** The order in which to show the classes, if the page shuffles them. */
  classes?: string[]
}

export interface Shortfall {
  code: string
  detail: string
}

export interface Assignments {
  assignments: Assignment[]
  shortfall: Shortfall | null
  session?: SessionProgress | null
}

export interface LabelsReply {
  /** `right` and `answer` come in a qualification with feedback. */
  labels: { item: string; outcome: string; code?: string; detail?: string; right?: boolean; answer?: string }[]
  next: Assignments | null
  session?: SessionProgress | null
}

export interface SkipReply {
  item: string
  next: Assignments | null
  session?: SessionProgress | null
}
