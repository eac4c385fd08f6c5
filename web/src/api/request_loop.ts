/**
 * Makes requests one after the other, as long as there are any. After a lost connection or a temporary
 * refusal it tries again, later and later.
 */
import { ConnectionError, Problem } from './client.ts'

const kFirstRetryDelay = 500
const kMaxRetryDelay = 15_000

export interface LoopOwner {
  /** Makes one request; returns false if there is none to make. */
  step: () => Promise<boolean>
  /** Milliseconds until the owner wants to look again when nothing is left to do; null for never. */
  pollDelay: () => number | null
  /** Called before a run that a timer starts. */
  timerEnded: () => void
  connectionChanged: (connected: boolean) => void
  /** Called when the server refuses for good, with the API's code. */
  refused: (code: string) => void
}

export class RequestLoop {
  private running = false
  /** Set when there may be new work, also while a run is about to stop. */
  private runAgain = false
  private refused = false
  private retryDelay = kFirstRetryDelay
  private timer: ReturnType<typeof setTimeout> | undefined

  constructor(private readonly owner: LoopOwner) {}

  /** Starts a run, unless one is under way already. */
  run() {
    this.runAgain = true
    if (this.running || this.refused) return
    clearTimeout(this.timer)
    this.running = true
    void this.runSteps().finally(() => (this.running = false))
  }

  /** Starts a run that does not remember earlier failures. */
  runAfresh() {
    this.retryDelay = kFirstRetryDelay
    this.run()
  }

  stop() {
    clearTimeout(this.timer)
  }

  private async runSteps() {
    try {
      while (this.runAgain) {
        this.runAgain = false
        while (await this.owner.step()) this.reached()
      }
      this.reached()
      const delay = this.owner.pollDelay()
      if (delay !== null) this.runLater(delay)
    } catch (error) {
      this.fail(error)
    }
  }

  private reached() {
    this.owner.connectionChanged(true)
    this.retryDelay = kFirstRetryDelay
  }

  private fail(error: unknown) {
    if (error instanceof Problem && !error.isTemporary) {
      this.refused = true
      this.owner.refused(error.code)
      return
    }
    if (!(error instanceof ConnectionError) && !(error instanceof Problem)) throw error
    this.owner.connectionChanged(error instanceof Problem && error.status === 429)
    const requested = error instanceof Problem && error.retryAfter !== null ? error.retryAfter * 1000 : 0
    this.runLater(Math.max(requested, this.retryDelay * (0.75 + Math.random() / 2)))
    this.retryDelay = Math.min(this.retryDelay * 2, kMaxRetryDelay)
  }

  private runLater(milliseconds: number) {
    clearTimeout(this.timer)
    this.timer = setTimeout(() => {
      this.owner.timerEnded()
      this.run()
    }, milliseconds)
  }
}
