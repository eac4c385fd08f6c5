/** What the worker's page shows, and what it tells the worker. */
import type { Assignment } from '../api/types.ts'

/**
 * loading: items are on their way; idle: nothing to do now; ended: nothing more, ever; refused: by the server.
 * For participants also checking: an answer is compared; feedback: the result is shown; finished: the session is over.
 */
export type View = 'loading' | 'work' | 'idle' | 'ended' | 'refused' | 'checking' | 'feedback' | 'finished'

/** An answered item of a qualification, and its right answer. */
export interface Feedback {
  item: Assignment
  label: string
  right: boolean
  answer: string
}

export type Notice =
  | 'late'
  | 'latePaused'
  | 'repeated'
  | 'ended'
  | 'lateChange'
  | 'endedChange'
  | 'timeout'
  | 'noUndo'
  | 'otherTab'
