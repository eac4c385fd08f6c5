/** An answer, or a change of one, that did not count, and what to tell the worker. */
import type { OutboxEntry } from './outbox.ts'
import type { Notice } from './views.ts'

export interface Rejection {
  what: OutboxEntry['what']
  /** The API's code. */
  code: string
}

/** The notice depends on the campaign's phase, which the page learns after the refusal. */
export function noticeOf({ what, code }: Rejection, phase: string | undefined): Notice {
  const ended = phase === 'closed'
  if (what === 'revise') return ended ? 'endedChange' : 'lateChange'
  if (ended) return 'ended'
  if (code === 'conflict') return 'repeated'
  return phase === 'paused' ? 'latePaused' : 'late'
}
