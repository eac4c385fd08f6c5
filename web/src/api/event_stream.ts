// A campaign's stream of events, which tells a page that something changed.
//
// The stream is read by fetch, since EventSource sends no token. Only the numbers of events matter.
// When the stream ends, it is opened again after the last event, with growing delays. It is also
// opened again after a long silence: the machine may have slept. Pages stop it while they are hidden.

import { callerOf } from './client.ts'

export interface StreamTools {
  fetch: typeof fetch
  wait(milliseconds: number, then: () => void): () => void
  random(): number
}

const realTools: StreamTools = {
  fetch: (...words) => fetch(...words),
  wait(milliseconds, then) {
    const timer = setTimeout(then, milliseconds)
    return () => clearTimeout(timer)
  },
  random: Math.random,
}

/** Milliseconds of silence after which the stream counts as dead; the server sends a sign of life every 15 s. */
export const kSilence = 40_000
const kMinDelay = 500
const kMaxDelay = 15_000

/** Finds the numbers of events in the pieces of a stream, in order. */
export class EventNumbers {
  private rest = ''

  take(piece: string): number[] {
    const lines = (this.rest + piece).split('\n')
    this.rest = lines.pop() ?? ''
    const numbers: number[] = []
    for (const line of lines) {
      if (line.startsWith('id:')) numbers.push(Number(line.slice(3)))
    }
    return numbers
  }
}

export class EventStream {
  private after: number
  private failures = 0
  private abort: AbortController | null = null
  private stopWaiting: (() => void) | null = null
  private open = false

  constructor(
    private readonly campaign: string,
    private readonly token: string,
    after: number,
    /** Called with the number of the last event, or with null if events may have been missed. */
    private readonly changed: (event: number | null) => void,
    private readonly connectionChanged: (connected: boolean) => void,
    private readonly tools: StreamTools = realTools,
  ) {
    this.after = after
  }

  start(): void {
    if (this.open) return
    this.open = true
    this.failures = 0
    void this.follow()
  }

  stop(): void {
    this.open = false
    this.stopWaiting?.()
    this.stopWaiting = null
    this.abort?.abort()
    this.abort = null
  }

  private async follow(): Promise<void> {
    const abort = new AbortController()
    this.abort = abort
    let cancelSilence = this.tools.wait(kSilence, () => abort.abort())
    try {
      const response = await this.tools.fetch(
        `/api/v1/campaigns/${encodeURIComponent(this.campaign)}/events/live?after=${this.after}`,
        { ...callerOf(this.token), signal: abort.signal, cache: 'no-store' },
      )
      if (!response.ok || !response.body) throw new Error(`status ${response.status}`)
      this.connectionChanged(true)
      if (this.failures > 0) this.changed(null)
      this.failures = 0
      const reader = response.body.getReader()
      const text = new TextDecoder()
      const numbers = new EventNumbers()
      for (;;) {
        const { done, value } = await reader.read()
        if (done) break
        cancelSilence()
        cancelSilence = this.tools.wait(kSilence, () => abort.abort())
        const last = numbers.take(text.decode(value, { stream: true })).at(-1)
        if (last === undefined) continue
        this.after = last
        this.changed(last)
      }
    } catch {
      // An error is treated like the end of the stream.
    }
    cancelSilence()
    if (!this.open || this.abort !== abort) return
    this.connectionChanged(false)
    const delay = Math.min(kMaxDelay, kMinDelay * 2 ** this.failures)
    this.failures += 1
    this.stopWaiting = this.tools.wait(delay * (0.5 + this.tools.random() / 2), () => {
      this.stopWaiting = null
      if (this.open) void this.follow()
    })
  }
}
