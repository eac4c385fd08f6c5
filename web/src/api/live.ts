// A campaign's stream of events, which a page takes as word that something changed.
//
// It is read by fetch, since EventSource sends no token. Only the numbers of events are looked at.
// The stream is opened again when it ends, with growing pauses, after the last event that came; it
// is closed while the page is hidden, and also opened again when nothing came for so long that the
// machine must have slept.

export interface LiveTools {
  fetch: typeof fetch
  wait(milliseconds: number, then: () => void): () => void
  random(): number
}

const realTools: LiveTools = {
  fetch: (...words) => fetch(...words),
  wait(milliseconds, then) {
    const timer = setTimeout(then, milliseconds)
    return () => clearTimeout(timer)
  },
  random: Math.random,
}

/** The server says that it is there every 15 seconds. */
export const kSilence = 40_000
const kShortestPause = 500
const kLongestPause = 15_000

/** Takes a stream apart; returns the numbers of events in the pieces, in order. */
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

export class Live {
  private after: number
  private failures = 0
  private abort: AbortController | null = null
  private stopWaiting: (() => void) | null = null
  private open = false

  constructor(
    private readonly campaign: string,
    private readonly token: string,
    after: number,
    /** Called with the number of the last event, or with null when what happened is unknown. */
    private readonly changed: (event: number | null) => void,
    private readonly connected: (is: boolean) => void,
    private readonly tools: LiveTools = realTools,
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
    let quiet = this.tools.wait(kSilence, () => abort.abort())
    try {
      const response = await this.tools.fetch(
        `/api/v1/campaigns/${encodeURIComponent(this.campaign)}/events/live?after=${this.after}`,
        { headers: { Authorization: `Bearer ${this.token}` }, signal: abort.signal, cache: 'no-store' },
      )
      if (!response.ok || !response.body) throw new Error(`status ${response.status}`)
      this.connected(true)
      if (this.failures > 0) this.changed(null)
      this.failures = 0
      const reader = response.body.getReader()
      const text = new TextDecoder()
      const numbers = new EventNumbers()
      for (;;) {
        const { done, value } = await reader.read()
        if (done) break
        quiet()
        quiet = this.tools.wait(kSilence, () => abort.abort())
        const last = numbers.take(text.decode(value, { stream: true })).at(-1)
        if (last === undefined) continue
        this.after = last
        this.changed(last)
      }
    } catch {
      // Said below, as the end of a stream is.
    }
    quiet()
    if (!this.open || this.abort !== abort) return
    this.connected(false)
    const pause = Math.min(kLongestPause, kShortestPause * 2 ** this.failures)
    this.failures += 1
    this.stopWaiting = this.tools.wait(pause * (0.5 + this.tools.random() / 2), () => {
      this.stopWaiting = null
      if (this.open) void this.follow()
    })
  }
}
