/** Recruiting links and sessions, as docs/reference/http.md describes them. */
import type { Amount } from './types.ts'

export const kPlatforms = ['prolific', 'connect', 'sona', 'mturk', 'panel'] as const
export type Platform = (typeof kPlatforms)[number]

export interface RecruitingTerms {
  platform: Platform
  id_parameter: string
  session_parameter: string
  capture: string[]
  labels: number
  most_participants: number
  sessions_per_id: number
  arrivals_per_minute: number
  codes: { done: string; screened_out: string; no_work: string; incomplete: string }
  return_url: string
  consent: string
  qualification: { items: number; least_right: number; feedback: boolean }
  signed_arrivals: boolean
  open: boolean
}

/** Terms that the requester chose; the server knows the others. */
export type NewRecruitingLink = { platform: Platform } & Partial<
  Omit<RecruitingTerms, 'codes'> & { codes: Partial<RecruitingTerms['codes']> }
>

export interface RecruitingLink {
  id: string
  created: string
  page: string
  study_path: string
  signing_key: string
  terms: RecruitingTerms
  participants: number
  sessions: { open: number; done: number; screened_out: number; no_work: number; incomplete: number }
  labels: number
  /** Null if labels have no price in money. */
  owed: Amount | null
}

export interface SessionRow {
  link: string
  worker: string
  id: string
  session: string
  outcome: 'open' | 'done' | 'screened-out' | 'no-work' | 'incomplete'
  joined: string
  seconds: number
  labels: number
  skipped: number
  qualification: number
  known: number
  known_right: number
  owed: Amount | null
  parameters: Record<string, string>
}
