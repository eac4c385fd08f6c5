// Reports that a requester reads, as docs/reference/http.md and /openapi.json describe them.
import type { ItemVerdict } from './review_types.ts'
import type { Amount, Fields, Page } from './types.ts'

export type Share = number
export type Time = string
export type ByClass = Record<string, Share>

export type Phase = 'running' | 'paused' | 'closed'

export interface CampaignEntry {
  id: string
  name: string
  owner: string
  created: Time
  twin_of: string | null
  /** ISO 4217 code. */
  currency: string | null
  archived: boolean
}

export interface CampaignOptions {
  classes: string[]
  price: Amount
  policy: string
  lease: string
  labels_per_item: number | null
  labels_per_worker: number | null
  gold_rate: Share
  /** Random items that get a label of a worker outside groups. */
  people_sample: number | null
  stop: string[]
}

export interface Campaign extends CampaignEntry {
  phase: Phase
  reason: string | null
  budget: Amount
  spent: Amount
  reserved: Amount
  left: Amount
  items: number
  gold: number
  workers: number
  leases: number
  labels: number
  events: number
  options: CampaignOptions
  page?: Page
}

/** The answers of a campaign, gold items apart. An item without a label and without a verdict has none. */
export interface AnswerSummary {
  count: number
  /** Items without an answer: no label yet. */
  unlabelled: number
  /** Of the answers, by the model. */
  expected_accuracy: Share | null
  truths: number
  /** The share of right answers to items with a truth. */
  accuracy: Share | null
  /** Whether verdicts or truths tell how right the answers are. */
  verified: boolean
}

export interface Status {
  phase: Phase
  reason: string | null
  archived: boolean
  started: Time
  last_event: Time
  budget: Amount
  spent: Amount
  reserved: Amount
  left: Amount
  items: number
  gold: number
  workers: number
  leases: number
  labels: number
  gold_labels: number
  imported: number
  /** Labels of excluded workers, which do not count. */
  excluded: number
  /** Items that people must label, and those that they have labelled; null without a people's sample. */
  people_sample: { items: number; labelled: number } | null
  /** Items with a verdict. */
  reviewed: number
  settled: Record<string, number>
  answers: AnswerSummary
  /** Of all items; without a label, a guess counts. */
  expected_accuracy: Share
  /** Of the answers, with a range of probability 0.9. */
  calibrated: { accuracy: Share; low: Share; high: Share } | null
  known_answers: number
  bound: Share | null
  accuracy: Share | null
  events: number
}

export interface CurvePoint {
  labels: number
  spent: Amount
  time: Time
  expected_accuracy: Share
  /** Absent in points that an older server kept. */
  calibrated: { accuracy: Share; low: Share; high: Share } | null
  /** Known answers that `calibrated` rests on. */
  known_answers: number
  bound: Share | null
  accuracy: Share | null
}

export interface ItemMap {
  /** Edges of the cells: one more than there are rows or columns. */
  certainty: number[]
  labels: number[]
  /** Counts by certainty, then by labels. */
  open: number[][]
  settled: number[][]
}

/** Why the policy chose an item, and what each label would do. */
export interface LeaseReason {
  reason: 'chosen' | 'gold' | 'waiting'
  value: number | null
  outlook: Record<string, { chance: Share; then: ByClass }>
}

export interface LeasedItem {
  item: string
  worker: string
  since: Time
  expires: Time
  price: Amount
  fields: Fields
  labels: number
  why: LeaseReason
  probabilities: ByClass
}

export type ItemState = 'open' | 'asked' | 'settled' | 'gold'

export interface ItemRow {
  item: string
  state: ItemState
  text: string
  /** Null without a label, as is its probability. */
  answer: string | null
  probability: Share | null
  labels: number
  at_hand: number
  settled: string | null
  gold: string | null
  truth: string | null
}

export interface HistoryEvent {
  time: Time
  what: string
  worker: string | null
  label: string | null
  price: Amount | null
  detail: string | null
  probabilities: ByClass | null
}

export interface ItemReport {
  item: string
  fields: Fields
  price: Amount
  truth: string | null
  gold: string | null
  settled: string | null
  verdict: ItemVerdict | null
  /** Null without a label. */
  answer: string | null
  probability: Share | null
  probabilities: ByClass
  history: HistoryEvent[]
}

export interface CalibrationBin {
  low: Share
  high: Share
  items: number
  expected: Share | null
  right: Share | null
}

/** Known answers of similar confidence: how many are right, with an interval. */
export interface KnownBin {
  low: Share
  high: Share
  items: number
  expected: Share
  right: Share
  right_low: Share
  right_high: Share
  /** Mean calibrated probability. */
  calibrated: Share
}

export interface KnownAnswers {
  known_answers: number
  /** Whether only answers that audits drew count. */
  only_drawn: boolean
  bins: KnownBin[]
}

export interface Calibration {
  items: number
  accuracy: Share | null
  brier: number | null
  expected_calibration_error: number | null
  bins: CalibrationBin[]
}

export interface WorkerRow {
  worker: string
  labels: number
  at_hand: number
  skips: number
  abstained: number
  reliability: Share
  low: Share
  high: Share
  agreement: Share | null
  gold: number
  gold_right: number
  price: Amount
  spent: Amount
  standing: Standing
  standing_reason: string | null
  /** Share of the labels that name the answer of their item, gold apart. */
  answer_agreement: Share | null
  /** Median time in view of a labelled item. */
  seconds: number | null
  pay_per_hour: Amount | null
  too_fast: boolean
  /** Last work on an item. */
  seen: Time | null
  /** Workers who err together; null for a worker alone. */
  group: string | null
  /** Of a language model, as its endpoint names it. */
  version: string | null
  /** The version before, from whose belief the worker started. */
  follows: string | null
}

/** Workers who err together, and how far. */
/** A kind of worker: the members of a group, or all workers outside groups (null). */
export interface KindRow {
  kind: string | null
  workers: number
  labels: number
  abstained: number
  spent: number
  /** Labels of items whose class is known, and those that name it. */
  known: number
  known_right: number
  accuracy: number | null
  /** Items on which both this kind and the others have a most frequent label. */
  shared: number
  agreement: number | null
  /** Pay per label, divided by the accuracy. */
  cost_per_right: number | null
}

export interface GroupRow {
  group: string
  members: number
  /** Items that a member labelled, and those of them that somebody else labelled too or that are known. */
  items: number
  checked: number
  error_correlation: number | null
  low: number | null
  high: number | null
  /** Independent votes that one label of each member is worth. */
  effective_votes: number | null
}

/** Blocked: gets no items. Excluded: the labels do not count either. */
export type Standing = 'active' | 'blocked' | 'excluded'

export interface StandingChange {
  worker: string
  standing: Standing
  reason: string | null
  labels: number
  changed_answers: number
  left: Amount
}

/** Labels of a worker by the answers of their items. */
export interface Confusion {
  worker: string
  classes: string[]
  counts: number[][]
}

export interface TokenRow {
  id: string
  role: 'admin' | 'requester' | 'worker' | 'reviewer' | 'monitor'
  campaign: string | null
  worker: string | null
  label: string
  /** Whether it is used by signing in, not by a secret. */
  account: boolean
  created: Time
  revoked: Time | null
}

/** Somebody who labels or reviews a campaign with their account. */
export interface Person {
  address: string
  role: 'worker' | 'reviewer'
  token: string
  page: string
  created: Time
}

export interface MinuteCount {
  time: Time
  labels: number
}

export interface ForecastRow {
  budget: number
  labels: number
  accuracy: Share
  low: Share
  high: Share
  equal: Share
  bound: Share | null
}

export interface NewCampaign {
  name: string
  classes: string[]
  budget: Amount
  price?: Amount
  policy?: string
  ordered?: boolean
  lease?: string
  labels_per_item?: number
  labels_per_worker?: number
  gold_rate?: number
  people_sample?: number
  stop?: string[]
  page?: Page
}

/** Changes of a running campaign; missing members stay. */
export interface CampaignChange {
  name?: string
  budget?: Amount
  policy?: string
  lease?: string
  /** A number, or 'any'. */
  labels_per_item?: string
  labels_per_worker?: string
  gold_rate?: number
  stop?: string[]
  page?: Page
}

export interface NewItem {
  id: string
  fields: Fields
  price?: Amount
  gold?: string
  truth?: string
}

export interface Link {
  token: { id: string; worker: string }
  secret: string
  link: string
}

export interface Explanation {
  item: string
  probabilities: ByClass
  value: number | null
  outlook: Record<string, { chance: Share; then: ByClass }>
}
