// When to ask the server again: at most once in a while however many events come, not at all while
// the page is hidden, and once as soon as it is seen again. A request that is under way is
// never made twice, and one that takes long is made less often: a busy server gets rest.

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

/** A request takes at most one part in so many of the time. */
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
    /** Milliseconds from the start of a request to the next one. */
    private readonly every: number,
    private readonly tools: RefreshTools = realRefreshTools,
  ) {}

  /** Something changed. */
  ask(): void {
    this.due = true
    this.plan()
  }

  /** Now, whatever there was before: a person did something and waits to see it. */
  async atOnce(): Promise<void> {
    this.last = -Infinity
    this.took = 0
    this.due = true
    if (!this.busy) await this.run()
  }

  /** The page was shown or hidden. */
  visibility(): void {
    this.plan()
  }

  stop(): void {
    this.stopped = true
    this.cancel?.()
    this.cancel = null
  }

  private plan(): void {
    if (!this.due || this.busy || this.stopped || this.cancel || this.tools.hidden()) return
    const pause = Math.max(0, this.last + Math.max(this.every, kRest * this.took) - this.tools.now())
    this.cancel = this.tools.wait(pause, () => {
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
