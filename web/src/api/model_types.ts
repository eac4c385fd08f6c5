/** Language models that the server offers, and their runs in a campaign. */
import type { Amount } from './types.ts'

export interface ModelOffer {
  /** The name of the model, and of its worker. */
  model: string
  endpoint: string
  /** The price of a label. */
  price: Amount
}

export interface ModelRun {
  state: 'running' | 'stopping' | 'stopped' | 'finished' | 'failed'
  /** What a running run waits for. */
  waits: string | null
  models: string[]
  prompt: string
  /** The most that labels of this run may cost. */
  cost_cap: Amount | null
  /** Paid for labels and abstentions of this run. */
  cost: Amount
  /** Items given back because requests about them failed, since the run began or the server started. */
  failed: number
  /** The last failure. */
  trouble: string | null
  /** Time for which the oldest request has waited. */
  oldest_request_seconds: number
  /** The last abstentions and skipped items since the server started. */
  remarks: { model: string; item: string; why: string }[]
  /** Why it ended. */
  reason: string | null
  started: string
  ended: string | null
  /** The models in this campaign, with the labels of all runs. */
  workers: { model: string; labels: number; abstained: number; skipped: number; spent: Amount }[]
}

export interface Models {
  models: ModelOffer[]
  /** A prompt to start from. */
  prompt: string
  /** Whether the budget counts labels, while models have prices in money. */
  counts_labels: boolean
  run: ModelRun | null
}

export interface ModelStart {
  models: string[]
  prompt: string
  cost_cap?: Amount
}

/** A prompt filled with the first item that has its fields; null if the campaign has no items. */
export interface PromptPreview {
  item: string | null
  prompt: string
  /** Items that lack a field of the prompt. */
  unfit: number
  /** Items among which they were counted: the first 1,000, or all. */
  looked_at: number
}
