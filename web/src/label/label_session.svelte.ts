/**
 * A worker's labelling session: leased items and answers that are not yet confirmed. It knows
 * nothing about how the page looks.
 *
 * An answer goes into the outbox, on disk, and the next item is shown at once: a few items are always
 * fetched ahead, and every answer asks for one more in the same request. The session makes one request
 * at a time, in the order of the answers. Answers that gather while a slow request is under way go
 * together in the next one. A request that fails for lack of a connection is repeated under the same key
 * until the server has replied.
 */
import { Client, path, Problem } from '../api/client.ts'
import { RequestLoop } from '../api/request_loop.ts'
import type { Amount, Assignment, Assignments, LabelsReply, Me, SessionProgress, SkipReply } from '../api/types.ts'
import { addAmounts } from './fields.ts'
import { type LastAnswer, LastAnswerStore } from './last_answer.ts'
import { isOutboxEntry, Outbox, type OutboxEntry, type SkipReason } from './outbox.ts'
import { noticeOf, type Rejection } from './rejection.ts'
import { ViewTimer } from './view_timer.ts'
import type { Feedback, Notice, View } from './views.ts'

/** Leased items to hold: the one that is shown and those ahead. Grows when answers wait for the network and few items are ahead. */
const kLeasedItems = 3
const kMaxLeasedItems = 8
/** Answers per request; each asks for at most as many items as are held. The server gives at most 100. */
const kMaxBatch = 10
/** Milliseconds between polls while there is nothing to do. */
const kFirstPollDelay = 3_000
const kMaxPollDelay = 30_000

/** The other tabs of the same worker. */
export interface Tabs {
  send: (message: unknown) => void
  listen: (receive: (message: unknown) => void) => void
  close: () => void
}

export interface Environment {
  storage: Storage | null
  tabs: Tabs | null
  newKey: () => string
}

export class LabelSession {
  me = $state.raw<Me | null>(null)
  /** Leased items; the first one is shown. */
  items = $state.raw<Assignment[]>([])
  /** The label to change, while the item of the last answer is shown again. */
  revising = $state.raw<string | null>(null)
  last = $state.raw<LastAnswer | null>(null)
  view = $state<View>('loading')
  /** A participant's session; null for other workers. */
  progress = $state.raw<SessionProgress | null>(null)
  feedback = $state.raw<Feedback | null>(null)
  /** The answer whose result must be shown before the next item. */
  private checked: { item: Assignment; label: string } | null = null
  /** The API's code for why the server refuses this worker. */
  refusal = $state<string | null>(null)
  connected = $state(true)
  notice = $state<Notice | null>(null)
  /** Number of answers that the server has not confirmed yet. */
  waiting = $state(0)
  /** Seconds until the lease of the shown item ends, if at most 60; updated once per second. */
  secondsLeft = $state<number | null>(null)

  /** Counts seconds, so that values that depend on the time are computed again. */
  private ticks = $state(0)
  private recorded = $state(0)
  private recordedPay = $state(0)
  private pendingPay = $state(0)
  private pendingLabels = $state(0)

  /** Measures how long items are in view; the page says which one is. */
  readonly timer = new ViewTimer()
  private readonly outbox: Outbox<OutboxEntry>
  private readonly lastStore: LastAnswerStore
  /** Entries that this page must send. */
  private unsent: OutboxEntry[] = []
  /** Keys of entries from before this page was loaded: the server may have counted them already. */
  private readonly earlierKeys = new Set<string>()
  private figuresAreStale = false
  /** An answer that did not count. The notice waits until the campaign's phase is known. */
  private rejected: Rejection | null = null
  /** A request for items, repeated under the same key until the server replies. */
  private itemRequest: { key: string; count: number } | null = null
  /** New answers that go in one request, repeated under the same key until the server replies. */
  private batch: { key: string; entries: OutboxEntry[] } | null = null
  /** Keys that were sent at least once; the server may have received them. */
  private readonly sentKeys = new Set<string>()
  private readonly loop = new RequestLoop({
    step: () => this.step(),
    pollDelay: () => (this.items.length || this.progress?.end ? null : (this.pollDelay = Math.min(this.pollDelay * 1.5, kMaxPollDelay))),
    timerEnded: () => (this.wantsItems = true),
    connectionChanged: (connected) => (this.connected = connected),
    refused: (code) => {
      this.refusal = code
      this.view = 'refused'
    },
  })
  private wantedItems = kLeasedItems
  private wantsItems = true
  private pollDelay = kFirstPollDelay
  private tickTimer: ReturnType<typeof setInterval> | undefined
  /** Items that were answered or returned here and must not be shown again. */
  private readonly finished = new Set<string>()

  constructor(
    private readonly client: Client,
    private readonly campaign: string,
    private readonly environment: Environment,
    box: string,
  ) {
    this.outbox = new Outbox(environment.storage, box, isOutboxEntry)
    this.lastStore = new LastAnswerStore(environment.storage, box)
    environment.tabs?.listen((message) => this.receive(message))
  }

  /** Number of labels, including those on their way. */
  get labels() {
    return (this.me?.campaign?.labels ?? 0) + this.recorded + this.pendingLabels
  }
  get earned(): Amount {
    return addAmounts(addAmounts(this.me?.campaign?.earned ?? 0, this.recordedPay), this.pendingPay)
  }
  /** Number of questions that are left in a participant's session. */
  get left(): number {
    const { labels = 0, of = 0 } = this.progress ?? {}
    return Math.max(0, of - labels - this.pendingLabels)
  }
  get current(): Assignment | null {
    return this.items[0] ?? null
  }
  get canUndo() {
    const { last } = this
    void this.ticks
    return this.revising === null && last !== null && Date.parse(last.item.expires) > this.client.now()
  }

  start() {
    this.unsent = this.outbox.entries()
    for (const entry of this.unsent) {
      this.earlierKeys.add(entry.key)
      this.finished.add(entry.item)
    }
    this.last = this.lastStore.get()
    if (this.last) this.finished.add(this.last.item.item)
    this.countUnsent()
    this.tickTimer = setInterval(() => this.tick(), 1000)
    this.loop.run()
  }

  stop() {
    this.loop.stop()
    clearInterval(this.tickTimer)
    this.environment.tabs?.close()
  }

  /** Handles a page that came back from sleep, another tab or a lost connection. */
  wake() {
    this.pollDelay = kFirstPollDelay
    this.tick()
    this.wantsItems = true
    this.loop.runAfresh()
  }

  answer(label: string) {
    const item = this.current
    if (!item || this.view !== 'work') return
    this.notice = null
    const revised = this.revising
    const key = this.environment.newKey()
    if (revised !== label) {
      const what = revised === null ? 'label' : 'revise'
      this.put({ key, what, label, price: item.price, ...this.entryOf(item) })
    }
    if (this.progress?.qualification?.feedback) this.checked = { item, label }
    else this.remember({ item, label, key: revised === label ? (this.last?.key ?? key) : key })
    this.next()
  }

  /** Goes from the result of an answer to the next item. */
  continue() {
    this.feedback = null
    this.show()
    this.loop.run()
  }

  /** What every entry about a shown item has. */
  private entryOf({ item }: Assignment) {
    const seconds = this.timer.secondsOf(item)
    return { item, made: Date.now(), next: this.missingItems(), ...(seconds === undefined ? {} : { seconds }) }
  }

  skip(reason?: SkipReason, note?: string) {
    const item = this.current
    if (!item || this.view !== 'work') return
    this.notice = null
    // Skipping an item that is shown again keeps its answer.
    if (this.revising === null) {
      const said = { ...(reason ? { reason } : {}), ...(note ? { note } : {}) }
      this.put({ key: this.environment.newKey(), what: 'skip', price: 0, ...this.entryOf(item), ...said })
    }
    this.next()
  }

  /** Shows the last answer again. An answer that was never sent is dropped as if it had not been given. */
  undo() {
    if (this.revising !== null) return
    const { last } = this
    if (!last || !this.canUndo) {
      this.notice = 'noUndo'
      return
    }
    this.notice = null
    const entry = this.unsent.find(({ key }) => key === last.key)
    if (entry && entry.what === 'label' && !this.sentKeys.has(entry.key) && !this.earlierKeys.has(entry.key)) {
      this.drop(entry)
      this.finished.delete(last.item.item)
      this.remember(null)
    } else {
      this.revising = last.label
    }
    this.items = [last.item, ...this.items.filter(({ item }) => item !== last.item.item)]
    this.show()
  }

  private remember(last: LastAnswer | null) {
    this.last = last
    this.lastStore.set(last)
  }

  private next() {
    const left = this.current
    if (left) this.finished.add(left.item)
    this.revising = null
    this.items = this.items.slice(1)
    this.show()
    if (!this.items.length) this.wantsItems = true
    if (left) this.environment.tabs?.send({ answered: left.item })
    this.loop.run()
  }

  /** Number of items to ask for along with an answer to the shown one. */
  private missingItems(): number {
    const ahead = this.items.length - 1
    const coming = this.unsent.reduce((sum, { next = 1 }) => sum + next, 0)
    if (ahead < 2 && this.unsent.length) this.wantedItems = Math.min(this.wantedItems + 2, kMaxLeasedItems)
    return Math.max(1, this.wantedItems - ahead - coming)
  }

  private show() {
    this.dropExpired()
    if (this.view !== 'refused') this.view = this.nextView()
    this.tick()
  }

  private nextView(): View {
    if (this.checked) return 'checking'
    if (this.feedback) return 'feedback'
    if (this.progress?.end) return 'finished'
    return this.items.length ? 'work' : 'loading'
  }

  /** Takes in how far a participant's session is. */
  private follow(progress: SessionProgress | null | undefined) {
    if (!progress) return
    this.progress = progress
    if (!progress.end) return
    this.items = []
    this.revising = null
    this.show()
  }

  /** Takes in the result of an answer that was to be compared. */
  private compare(row: LabelsReply['labels'][number] | undefined) {
    const { checked } = this
    if (checked === null || (row && row.item !== checked.item.item)) return
    this.checked = null
    if (row?.right !== undefined && row.answer !== undefined) {
      this.feedback = { ...checked, right: row.right, answer: row.answer }
    }
    this.show()
  }

  private put(entry: OutboxEntry) {
    this.outbox.add(entry)
    this.unsent.push(entry)
    this.countUnsent()
  }

  private drop(entry: OutboxEntry) {
    this.outbox.remove(entry.key)
    this.unsent = this.unsent.filter((other) => other !== entry)
    this.countUnsent()
  }

  private countUnsent() {
    const labels = this.unsent.filter(({ what }) => what === 'label')
    this.waiting = this.unsent.length
    this.pendingLabels = labels.length
    this.pendingPay = labels.reduce((sum, { price }) => addAmounts(sum, price), 0)
  }

  /** Drops an item that another tab has answered. */
  private receive(message: unknown) {
    const answered = (message as { answered?: unknown } | null)?.answered
    if (typeof answered !== 'string' || this.finished.has(answered)) return
    this.finished.add(answered)
    if (this.current?.item === answered) this.notice = 'otherTab'
    this.items = this.items.filter(({ item }) => item !== answered)
    if (this.view === 'work') this.show()
    this.wantsItems = true
    this.loop.run()
  }

  /** Checks leases against the time, once per second. */
  private tick() {
    this.ticks += 1
    if (this.last && Date.parse(this.last.item.expires) <= this.client.now()) this.remember(null)
    if (this.dropExpired()) {
      this.notice = 'timeout'
      this.wantsItems = true
      if (this.view === 'work' && !this.items.length) this.view = 'loading'
      this.loop.run()
    }
    const left = this.current ? (Date.parse(this.current.expires) - this.client.now()) / 1000 : null
    this.secondsLeft = left === null || left > 60 ? null : Math.max(0, Math.ceil(left))
  }

  /** Drops items whose lease is over; returns whether the shown item was among them. */
  private dropExpired(): boolean {
    const shown = this.current
    const now = this.client.now()
    const fresh = this.items.filter(({ expires }) => Date.parse(expires) > now)
    if (fresh.length === this.items.length) return false
    this.items = fresh
    const shownExpired = shown !== null && shown !== fresh[0]
    if (shownExpired) this.revising = null
    return shownExpired
  }

  private take(reply: Assignments) {
    const held = new Set(this.items.map(({ item }) => item))
    const fresh = reply.assignments.filter(({ item }) => !held.has(item) && !this.finished.has(item))
    if (fresh.length) {
      this.items = [...this.items, ...fresh]
      this.pollDelay = kFirstPollDelay
      if (this.view !== 'work') this.show()
    }
    this.wantsItems = this.items.length < this.wantedItems && reply.shortfall === null
    if (!this.items.length && reply.shortfall !== null) this.figuresAreStale = true
    this.follow(reply.session)
  }

  /** Makes one request; returns false if there is none to make. */
  private async step(): Promise<boolean> {
    if (this.me === null) {
      await this.enter()
      return true
    }
    const entry = this.unsent[0]
    if (entry) {
      this.batch ??= this.gather()
      await (this.batch ? this.sendBatch(this.batch) : this.send(entry))
      return true
    }
    if (this.figuresAreStale) {
      await this.refresh()
      return true
    }
    if (!this.itemRequest) {
      if (!this.wantsItems || this.items.length >= this.wantedItems) return false
      this.itemRequest = { key: this.environment.newKey(), count: this.wantedItems - this.items.length }
    }
    const { key, count } = this.itemRequest
    const reply = await this.client.post<Assignments>(path('campaigns', this.campaign, 'assignments'), { count }, { key })
    this.itemRequest = null
    this.take(reply)
    return true
  }

  private fetchMe() {
    return this.client.get<Me>(path('campaigns', this.campaign, 'me'))
  }

  private async enter() {
    // Items that were leased before a reload are still leased.
    const [me, leased] = await Promise.all([
      this.fetchMe(),
      this.client.get<Assignments>(path('campaigns', this.campaign, 'assignments')),
    ])
    if (me.campaign?.id !== this.campaign) throw new Problem(403, 'wrong_role', '')
    this.me = me
    this.take({ ...leased, shortfall: null })
    this.follow(me.campaign.session)
    this.wantsItems = !this.progress?.end
  }

  /** Fetches the worker's figures and, if there is nothing to do, whether the campaign has ended. */
  private async refresh() {
    const me = await this.fetchMe()
    this.me = me
    this.recorded = 0
    this.recordedPay = 0
    this.figuresAreStale = false
    if (me.campaign?.phase === 'closed') {
      // The leases ended with the campaign.
      this.items = []
      this.revising = null
      this.remember(null)
    }
    if (this.rejected) this.notice = noticeOf(this.rejected, me.campaign?.phase)
    this.rejected = null
    this.follow(me.campaign?.session)
    if (this.nextView() === 'loading') this.view = me.campaign?.phase === 'closed' ? 'ended' : 'idle'
  }

  /** The new answers at the head of the queue, if there are several: a key that was sent once must be sent alone again. */
  private gather() {
    const isNew = ({ what, key }: OutboxEntry) => what === 'label' && !this.sentKeys.has(key) && !this.earlierKeys.has(key)
    const end = this.unsent.findIndex((entry) => !isNew(entry))
    const entries = this.unsent.slice(0, end < 0 ? kMaxBatch : Math.min(end, kMaxBatch))
    if (entries.length < 2 || !entries.every(({ key }) => this.outbox.has(key))) return null
    return { key: this.environment.newKey(), entries }
  }

  private async sendBatch({ key, entries }: { key: string; entries: OutboxEntry[] }) {
    for (const entry of entries) this.sentKeys.add(entry.key)
    const labels = entries.map(({ item, label, seconds }) => ({ item, label, seconds }))
    const next = entries.reduce((sum, entry) => sum + (entry.next ?? 1), 0)
    try {
      const reply = await this.client.post<LabelsReply>(path('campaigns', this.campaign, 'labels'), { labels, next }, { key })
      this.batch = null
      entries.forEach((entry, n) => {
        this.drop(entry)
        const row = reply.labels[n]
        if (row?.outcome === 'refused') this.reject(entry, row.code ?? '')
        else if (row?.outcome === 'recorded') this.count(entry)
        // Another tab has sent it.
        else this.figuresAreStale = true
      })
      this.follow(reply.session)
      if (reply.next) this.take(reply.next)
    } catch (error) {
      if (!(error instanceof Problem) || error.isTemporary || error.status === 401) throw error
      // The server refuses the whole request; alone, each answer learns what is wrong with it.
      this.batch = null
    }
  }

  private count(entry: OutboxEntry) {
    this.recorded += 1
    this.recordedPay = addAmounts(this.recordedPay, entry.price)
  }

  /** Notes that an answer or a change did not count. */
  private reject(entry: OutboxEntry, code: string) {
    // A lost answer matters more than a lost change.
    if (entry.what === 'label' || (entry.what === 'revise' && !this.rejected)) {
      this.rejected = { what: entry.what, code }
    }
    if (this.last?.key === entry.key) this.remember(null)
    this.compare(undefined)
    this.wantsItems = true
    // The campaign may have ended.
    this.figuresAreStale = true
  }

  private async send(entry: OutboxEntry) {
    // Another tab may have sent or undone it.
    if (!this.outbox.has(entry.key)) return this.drop(entry)
    this.sentKeys.add(entry.key)
    try {
      const route = (name: string) => path('campaigns', this.campaign, name)
      const { item, label, key, next = 1, seconds, reason, note } = entry
      if (entry.what === 'skip') {
        const reply = await this.client.post<SkipReply>(route('skip'), { item, next, seconds, reason, note }, { key })
        this.drop(entry)
        this.follow(reply.session)
        if (reply.next) this.take(reply.next)
      } else if (entry.what === 'revise') {
        await this.client.post<LabelsReply>(route('labels'), { item, label, revise: true }, { key })
        this.drop(entry)
      } else {
        const reply = await this.client.post<LabelsReply>(route('labels'), { item, label, next, seconds }, { key })
        this.drop(entry)
        if (this.earlierKeys.has(key)) this.figuresAreStale = true
        else if (reply.labels[0]?.outcome === 'recorded') this.count(entry)
        this.follow(reply.session)
        this.compare(reply.labels[0])
        if (reply.next) this.take(reply.next)
      }
    } catch (error) {
      // A refusal settles this entry. A revoked token does not: the entry stays in the outbox.
      if (!(error instanceof Problem) || error.isTemporary || error.status === 401) throw error
      this.drop(entry)
      this.reject(entry, error.code)
    }
  }
}
