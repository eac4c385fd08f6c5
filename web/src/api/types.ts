/** Replies of the server, as docs/reference/http.md and /openapi.json describe them. Times are ISO texts. */

/** An amount of money: a number, or a text where every digit counts. */
export type Amount = number | string

export type FieldKind = 'text' | 'image' | 'audio' | 'html' | 'hidden'

/** The parts of a campaign that its workers see. */
export interface Page {
  question?: string
  instructions?: string
  fields?: Record<string, FieldKind>
}

export interface Me {
  role: 'admin' | 'requester' | 'worker' | 'reviewer'
  label: string
  worker: string | null
  reviewer: string | null
  campaign: {
    id: string
    name: string
    classes: string[]
    labels: number
    at_hand: number
    page?: Page
    phase?: string
    earned?: Amount
  } | null
}

export type Fields = Record<string, unknown>

export interface Assignment {
  item: string
  fields: Fields
  price: Amount
  expires: string
}

export interface Shortfall {
  code: string
  detail: string
}

export interface Assignments {
  assignments: Assignment[]
  shortfall: Shortfall | null
}

export interface LabelsReply {
  labels: { item: string; outcome: string; code?: string; detail?: string }[]
  next: Assignments | null
}

export interface SkipReply {
  item: string
  next: Assignments | null
}
