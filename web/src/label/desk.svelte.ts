/**
 * The desk of a worker: items at hand, answers on their way. It knows nothing of how it looks.
 *
 * An answer is put into the outbox, on disk, and the next item is there at once: a few are always
 * fetched ahead, and every answer asks for one more in the same request. One request is under way at
 * a time, in the order of the answers; what fails for want of a connection is sent again, the same
 * request under the same key, until the server has said what became of it.
 */
import { Client, path, Problem, Unreachable } from '../api/client.ts'
import type { Amount, Assignment, Assignments, LabelsAnswer, Me, SkipAnswer } from '../api/types.ts'
import { sum } from './fields.ts'
import { LastAnswer, type Last } from './last.ts'
import { type Entry, Outbox } from './outbox.ts'

/** loading: items are on their way; work; idle: there is nothing now; ended, for good; refused, by the server. */
export type View = 'loading' | 'work' | 'idle' | 'ended' | 'refused'

export type Notice =
  | 'late'
  | 'latePaused'
  | 'before'
  | 'closed'
  | 'lateChange'
  | 'closedChange'
  | 'leaseOver'
  | 'noUndo'
  | 'elsewhere'

/** Items at hand: one that is shown and those ahead. More if the worker ever had to wait. */
const kAtHand = 3
const kMostAtHand = 8
const kFirstPause = 500
const kLongestPause = 15_000
/** Between questions whether there is something to do now. */
const kFirstLook = 3_000
const kLongestLook = 30_000

/** Other tabs of the same worker. */
export interface Tabs {
  say: (message: unknown) => void
  listen: (heard: (message: unknown) => void) => void
  close: () => void
}

export interface Surroundings {
  storage: Storage | null
  tabs: Tabs | null
  newKey: () => string
}

export class Desk {
  me = $state.raw<Me | null>(null)
  /** The first is the one that is shown. */
  items = $state.raw<Assignment[]>([])
  /** The label that is to be changed, while the item of the last answer is shown again. */
  revising = $state.raw<string | null>(null)
  last = $state.raw<Last | null>(null)
  view = $state<View>('loading')
  /** Why the server does not want this worker: a code. */
  refusal = $state<string | null>(null)
  connected = $state(true)
  notice = $state<Notice | null>(null)
  /** Answers that are not yet known to have arrived. */
  waiting = $state(0)
  /** Seconds until the item that is shown is given away; looked at once a second. */
  secondsLeft = $state<number | null>(null)

  /** So that what depends on the time is looked at again. */
  private beats = $state(0)
  private recorded = $state(0)
  private recordedPay = $state(0)
  private pendingPay = $state(0)
  private pendingLabels = $state(0)

  private readonly outbox: Outbox
  private readonly keptLast: LastAnswer
  /** Those that this page has to send. */
  private mine: Entry[] = []
  /** From before this page was loaded: the server may have counted them already. */
  private readonly old = new Set<string>()
  private figuresAreOld = false
  /** An answer that did not count. Why is said when it is known how the campaign stands. */
  private uncounted: { what: Entry['what']; code: string } | null = null
  /** Asked for again under the same key until there is an answer. */
  private asking: { key: string; count: number } | null = null
  /** Keys of requests that were made: whether they arrived is not known before there is an answer. */
  private readonly tried = new Set<string>()
  private running = false
  /** Somebody wants it to go on; it may have been about to stop. */
  private asked = false
  private depth = kAtHand
  private wantsItems = true
  private pause = kFirstPause
  private lookPause = kFirstLook
  private retry: ReturnType<typeof setTimeout> | undefined
  private beat: ReturnType<typeof setInterval> | undefined
  /** Items that were answered or given back here, not to be shown again. */
  private readonly done = new Set<string>()

  constructor(
    private readonly client: Client,
    private readonly campaign: string,
    private readonly around: Surroundings,
    box: string,
  ) {
    this.outbox = new Outbox(around.storage, box)
    this.keptLast = new LastAnswer(around.storage, box)
    around.tabs?.listen((message) => this.heard(message))
  }

  /** Labels so far, with those on their way. */
  get labels() {
    return (this.me?.campaign?.labels ?? 0) + this.recorded + this.pendingLabels
  }
  get earned(): Amount {
    return sum(sum(this.me?.campaign?.earned ?? 0, this.recordedPay), this.pendingPay)
  }
  get current(): Assignment | null {
    return this.items[0] ?? null
  }
  get canUndo() {
    const { last } = this
    void this.beats
    return this.revising === null && last !== null && Date.parse(last.item.expires) > this.client.now()
  }

  start() {
    this.mine = this.outbox.entries()
    for (const one of this.mine) {
      this.old.add(one.key)
      this.done.add(one.item)
    }
    this.last = this.keptLast.get()
    if (this.last) this.done.add(this.last.item.item)
    this.count()
    this.beat = setInterval(() => this.look(), 1000)
    this.go()
  }

  stop() {
    clearTimeout(this.retry)
    clearInterval(this.beat)
    this.around.tabs?.close()
  }

  /** The page came back, from sleep, another tab, or a lost connection. */
  wake() {
    this.lookPause = kFirstLook
    this.pause = kFirstPause
    this.look()
    this.wantsItems = true
    this.go()
  }

  answer(label: string) {
    const item = this.current
    if (!item || this.view !== 'work') return
    this.notice = null
    const revised = this.revising
    const key = this.around.newKey()
    if (revised !== label) {
      this.put({ key, what: revised === null ? 'label' : 'revise', item: item.item, label, price: item.price, made: Date.now() })
    }
    this.remember({ item, label, key: revised === label ? (this.last?.key ?? key) : key })
    this.next()
  }

  skip() {
    const item = this.current
    if (!item || this.view !== 'work') return
    this.notice = null
    // Of an item that is shown again to be changed: the answer stays.
    if (this.revising === null) {
      this.put({ key: this.around.newKey(), what: 'skip', item: item.item, price: 0, made: Date.now() })
    }
    this.next()
  }

  /** The last answer is shown again. If it has not left yet, it is as if it had never been given. */
  undo() {
    if (this.revising !== null) return
    const { last } = this
    if (!last || !this.canUndo) {
      this.notice = 'noUndo'
      return
    }
    this.notice = null
    const entry = this.mine.find((one) => one.key === last.key)
    if (entry && entry.what === 'label' && !this.tried.has(entry.key) && !this.old.has(entry.key)) {
      this.drop(entry)
      this.done.delete(last.item.item)
      this.remember(null)
    } else {
      this.revising = last.label
    }
    this.items = [last.item, ...this.items.filter((one) => one.item !== last.item.item)]
    this.show()
  }

  private remember(last: Last | null) {
    this.last = last
    this.keptLast.set(last)
  }

  private next() {
    const left = this.current
    if (left) this.done.add(left.item)
    this.revising = null
    this.items = this.items.slice(1)
    this.show()
    if (!this.items.length) {
      this.wantsItems = true
      this.depth = Math.min(this.depth + 1, kMostAtHand)
    }
    if (left) this.tell(left.item)
    this.go()
  }

  private show() {
    this.throwAwayExpired()
    if (this.view !== 'refused') this.view = this.items.length ? 'work' : 'loading'
    this.look()
  }

  private put(entry: Entry) {
    this.outbox.add(entry)
    this.mine.push(entry)
    this.count()
  }

  private drop(entry: Entry) {
    this.outbox.remove(entry.key)
    this.mine = this.mine.filter((one) => one !== entry)
    this.count()
  }

  private count() {
    const labels = this.mine.filter((one) => one.what === 'label')
    this.waiting = this.mine.length
    this.pendingLabels = labels.length
    this.pendingPay = labels.reduce((all, one) => sum(all, one.price), 0)
  }

  private tell(item: string) {
    this.around.tabs?.say({ answered: item })
  }

  /** Another tab has answered an item, which may be shown here. */
  private heard(message: unknown) {
    const item = (message as { answered?: unknown } | null)?.answered
    if (typeof item !== 'string' || this.done.has(item)) return
    this.done.add(item)
    if (this.current?.item === item) this.notice = 'elsewhere'
    this.items = this.items.filter((one) => one.item !== item)
    if (this.view === 'work') this.show()
    this.wantsItems = true
    this.go()
  }

  /** Once a second: how long the item may be kept. */
  private look() {
    this.beats += 1
    if (this.last && Date.parse(this.last.item.expires) <= this.client.now()) this.remember(null)
    if (this.throwAwayExpired()) {
      this.notice = 'leaseOver'
      this.wantsItems = true
      if (this.view === 'work' && !this.items.length) this.view = 'loading'
      this.go()
    }
    const left = this.current ? (Date.parse(this.current.expires) - this.client.now()) / 1000 : null
    this.secondsLeft = left === null || left > 60 ? null : Math.max(0, Math.ceil(left))
  }

  /** Whether the one that is shown was among them. */
  private throwAwayExpired(): boolean {
    const shown = this.current
    const now = this.client.now()
    const fresh = this.items.filter((one) => Date.parse(one.expires) > now)
    if (fresh.length === this.items.length) return false
    this.items = fresh
    const gone = shown !== null && shown !== fresh[0]
    if (gone) this.revising = null
    return gone
  }

  private take(got: Assignments) {
    const known = new Set(this.items.map((one) => one.item))
    const fresh = got.assignments.filter((one) => !known.has(one.item) && !this.done.has(one.item))
    if (fresh.length) {
      this.items = [...this.items, ...fresh]
      this.lookPause = kFirstLook
      if (this.view !== 'work') this.show()
    }
    this.wantsItems = this.items.length < this.depth && got.shortfall === null
    if (!this.items.length && got.shortfall !== null) this.figuresAreOld = true
  }

  /** Sends what there is to send, asks for what there is to ask; one request after the other. */
  private go() {
    this.asked = true
    if (this.running || this.view === 'refused') return
    clearTimeout(this.retry)
    this.running = true
    void this.run().finally(() => (this.running = false))
  }

  private async run() {
    try {
      while (this.asked) {
        this.asked = false
        while (await this.step()) this.reached()
      }
      this.reached()
      if (!this.items.length) this.later((this.lookPause = Math.min(this.lookPause * 1.5, kLongestLook)))
    } catch (error) {
      this.failed(error)
    }
  }

  private reached() {
    this.connected = true
    this.pause = kFirstPause
  }

  private failed(error: unknown) {
    if (error instanceof Problem && !error.passing) {
      this.refusal = error.code
      this.view = 'refused'
      return
    }
    if (!(error instanceof Unreachable) && !(error instanceof Problem)) throw error
    this.connected = error instanceof Problem && error.status === 429
    const asked = error instanceof Problem && error.retryAfter !== null ? error.retryAfter * 1000 : 0
    this.later(Math.max(asked, this.pause * (0.75 + Math.random() / 2)))
    this.pause = Math.min(this.pause * 2, kLongestPause)
  }

  private later(milliseconds: number) {
    clearTimeout(this.retry)
    this.retry = setTimeout(() => {
      this.wantsItems = true
      this.go()
    }, milliseconds)
  }

  /** One request; nothing to do is false. */
  private async step(): Promise<boolean> {
    if (this.me === null) {
      await this.enter()
      return true
    }
    const entry = this.mine[0]
    if (entry) {
      await this.send(entry)
      return true
    }
    if (this.figuresAreOld) {
      await this.refresh()
      return true
    }
    if (!this.asking) {
      if (!this.wantsItems || this.items.length >= this.depth) return false
      this.asking = { key: this.around.newKey(), count: this.depth - this.items.length }
    }
    const { key, count } = this.asking
    const got = await this.client.post<Assignments>(path('campaigns', this.campaign, 'assignments'), { count }, { key })
    this.asking = null
    this.take(got)
    return true
  }

  private async enter() {
    // What was at hand before a reload is still there.
    const [me, had] = await Promise.all([
      this.client.get<Me>(path('me')),
      this.client.get<Assignments>(path('campaigns', this.campaign, 'assignments')),
    ])
    if (me.campaign?.id !== this.campaign) throw new Problem(403, 'wrong_role', '')
    this.me = me
    this.take({ ...had, shortfall: null })
    this.wantsItems = true
  }

  /** The worker's figures; and if there is nothing to do, whether that is for now or for good. */
  private async refresh() {
    const me = await this.client.get<Me>(path('me'))
    this.me = me
    this.recorded = 0
    this.recordedPay = 0
    this.figuresAreOld = false
    if (me.campaign?.phase === 'closed') {
      // What is at hand counts no more.
      this.items = []
      this.revising = null
      this.remember(null)
    }
    this.explain(me.campaign?.phase)
    if (!this.items.length) this.view = me.campaign?.phase === 'closed' ? 'ended' : 'idle'
  }

  private explain(phase: string | undefined) {
    const { uncounted } = this
    this.uncounted = null
    if (!uncounted) return
    const closed = phase === 'closed'
    if (uncounted.what === 'revise') this.notice = closed ? 'closedChange' : 'lateChange'
    else if (closed) this.notice = 'closed'
    else if (uncounted.code === 'conflict') this.notice = 'before'
    else this.notice = phase === 'paused' ? 'latePaused' : 'late'
  }

  private async send(entry: Entry) {
    // Another tab may have sent it, or somebody taken it back.
    if (!this.outbox.has(entry.key)) return this.drop(entry)
    this.tried.add(entry.key)
    try {
      const at = (what: string) => path('campaigns', this.campaign, what)
      const { item, label, key } = entry
      if (entry.what === 'skip') {
        const answer = await this.client.post<SkipAnswer>(at('skip'), { item, next: 1 }, { key })
        this.drop(entry)
        if (answer.next) this.take(answer.next)
      } else if (entry.what === 'revise') {
        await this.client.post<LabelsAnswer>(at('labels'), { item, label, revise: true }, { key })
        this.drop(entry)
      } else {
        const answer = await this.client.post<LabelsAnswer>(at('labels'), { item, label, next: 1 }, { key })
        this.drop(entry)
        if (this.old.has(key)) {
          this.figuresAreOld = true
        } else if (answer.labels[0]?.outcome === 'recorded') {
          this.recorded += 1
          this.recordedPay = sum(this.recordedPay, entry.price)
        }
        if (answer.next) this.take(answer.next)
      }
    } catch (error) {
      // A refusal is an answer too, and the last word about this entry; but a token that is no longer
      // good says nothing about it.
      if (!(error instanceof Problem) || error.passing || error.status === 401) throw error
      this.drop(entry)
      // That an answer did not count is more than that it was not changed.
      if (entry.what === 'label' || (entry.what === 'revise' && !this.uncounted)) {
        this.uncounted = { what: entry.what, code: error.code }
      }
      if (this.last?.key === entry.key) this.remember(null)
      this.wantsItems = true
      // Perhaps the campaign is over.
      this.figuresAreOld = true
    }
  }
}
