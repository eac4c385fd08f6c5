// Limits how often a page repeats a request: at most once per interval however many events come, never
// while the page is hidden, and once as soon as it is visible again. No two requests overlap, and slow
// requests are repeated less often, to spare a busy server.

export interface RefreshTools {
  now(): number
  wait(milliseconds: number, then: () => void): () => void
  hidden(): boolean
}

export const realRefreshTools: RefreshTools = {
  now: () => performance.now(),
  wait(milliseconds, then) {
    const timer = setTimeout(then, milliseconds)
    return () => clearTimeout(timer)
  },
  hidden: () => document.hidden,
}

/** The interval is at least this many times as long as the last request took. */
const kRest = 5

export class Refresh {
  private due = false
  private busy = false
  private stopped = false
  private last = -Infinity
  private took = 0
  private cancel: (() => void) | null = null

  constructor(
    private readonly work: () => Promise<void>,
    /** Milliseconds from the start of one request to the start of the next. */
    private readonly every: number,
    private readonly tools: RefreshTools = realRefreshTools,
  ) {}

  /** Asks for a request soon, because something changed. */
  request(): void {
    this.due = true
    this.plan()
  }

  /** Makes the request now: a person did something and waits to see the result. */
  async runNow(): Promise<void> {
    this.last = -Infinity
    this.took = 0
    this.due = true
    if (!this.busy) await this.run()
  }

  /** Must be called when the page is shown or hidden. */
  visibilityChanged(): void {
    this.plan()
  }

  stop(): void {
    this.stopped = true
    this.cancel?.()
    this.cancel = null
  }

  private plan(): void {
    if (!this.due || this.busy || this.stopped || this.cancel || this.tools.hidden()) return
    const delay = Math.max(0, this.last + Math.max(this.every, kRest * this.took) - this.tools.now())
    this.cancel = this.tools.wait(delay, () => {
      this.cancel = null
      if (!this.tools.hidden()) void this.run()
    })
  }

  private async run(): Promise<void> {
    if (this.stopped || !this.due) return
    this.cancel?.()
    this.cancel = null
    this.due = false
    this.busy = true
    this.last = this.tools.now()
    try {
      await this.work()
    } finally {
      this.took = this.tools.now() - this.last
      this.busy = false
      this.plan()
    }
  }
}
