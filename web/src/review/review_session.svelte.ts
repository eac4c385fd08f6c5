/**
 * A reviewer's session: the queue of items to look at, and verdicts that are not yet confirmed. It knows
 * nothing about how the page looks.
 *
 * A verdict goes into the outbox, on disk, and the next item is shown at once. The session makes one
 * request at a time, in the order of the verdicts. A request that fails for lack of a connection is
 * repeated under the same key until the server has replied.
 */
import { type Client, path, Problem } from '../api/client.ts'
import { RequestLoop } from '../api/request_loop.ts'
import type { Audit, ReviewOrder, ReviewRow, Verdict } from '../api/review_types.ts'
import type { Me } from '../api/types.ts'
import { Outbox } from '../label/outbox.ts'
import { isToday, isUnsentVerdict, type OwnVerdict, type UnsentVerdict, withUnsent } from './verdicts.ts'

/** loading: the queue is on its way; empty: nothing to review now; refused: by the server. */
export type View = 'loading' | 'work' | 'empty' | 'refused'

/** What the reviewer should know about one verdict; `detail` is the server's own sentence. */
export interface Notice {
  kind: 'taken' | 'ownLabel' | 'refused' | 'undone' | 'noUndo'
  item: string
  detail: string
}

const kQueueLength = 100
/** The queue is fetched again when fewer items are left, or when it is older, in milliseconds. */
const kShortQueue = 5
const kOldQueue = 60_000
const kPollDelay = 20_000
const kVerdictsPerPage = 1000
const kMaxVerdictPages = 20

export interface Environment {
  storage: Storage | null
  newKey: () => string
}

export class ReviewSession {
  me = $state.raw<Me | null>(null)
  /** Items to decide; the first one is shown. */
  rows = $state.raw<ReviewRow[]>([])
  /** Whether the server has more items than `rows`. */
  more = $state(false)
  order = $state<ReviewOrder>('uncertain')
  audit = $state.raw<Audit | null>(null)
  /** Verdicts of this reviewer, the newest first. */
  verdicts = $state.raw<OwnVerdict[]>([])
  view = $state<View>('loading')
  /** The API's code for why the server refuses this reviewer. */
  refusal = $state<string | null>(null)
  connected = $state(true)
  notice = $state.raw<Notice | null>(null)
  /** Number of verdicts that the server has not confirmed yet. */
  waiting = $state(0)

  private readonly outbox: Outbox<UnsentVerdict>
  private unsent: UnsentVerdict[] = []
  /** Keys that may have reached the server. */
  private readonly sentKeys = new Set<string>()
  /** Items that were decided here and must not be shown again. */
  private readonly finished = new Set<string>()
  /** Items that the reviewer put off; they come last. */
  private readonly postponed = new Set<string>()
  /** An item whose verdict was undone and that the queue must show first. */
  private wantedItem: string | null = null
  private wantsQueue = true
  private wantsAudit = true
  private queueTime = 0
  private readonly loop = new RequestLoop({
    step: () => this.step(),
    pollDelay: () => (this.rows.length ? null : kPollDelay),
    timerEnded: () => this.expectChanges(),
    connectionChanged: (connected) => (this.connected = connected),
    refused: (code) => {
      this.refusal = code
      this.view = 'refused'
    },
  })

  constructor(
    private readonly client: Client,
    private readonly campaign: string,
    private readonly environment: Environment,
    box: string,
  ) {
    this.outbox = new Outbox(environment.storage, box, isUnsentVerdict)
  }

  get current(): ReviewRow | null {
    return this.rows[0] ?? null
  }
  get decidedToday() {
    return this.verdicts.filter(({ time }) => isToday(time)).length
  }

  start() {
    this.unsent = this.outbox.entries()
    for (const entry of this.unsent) {
      this.sentKeys.add(entry.key)
      if (entry.what === 'verdict') this.finished.add(entry.item)
      else this.finished.delete(entry.item)
    }
    this.waiting = this.unsent.length
    this.loop.run()
  }

  stop() {
    this.loop.stop()
  }

  /** Handles a page that came back from sleep, another tab or a lost connection. */
  wake() {
    this.expectChanges()
    this.loop.runAfresh()
  }

  setOrder(order: ReviewOrder) {
    if (order === this.order) return
    this.order = order
    this.rows = []
    this.postponed.clear()
    this.wantsQueue = true
    if (this.view !== 'refused') this.view = 'loading'
    this.loop.run()
  }

  decide(answer: string, reason: string) {
    const row = this.current
    if (!row || this.view !== 'work') return
    this.notice = null
    const { item } = row
    const entry: UnsentVerdict = { key: this.environment.newKey(), what: 'verdict', item, answer, reason, made: Date.now() }
    this.put(entry)
    const own = { item, answer, reason, time: entry.made, believed: row.answer, stated: row.probability, row }
    this.verdicts = [own, ...this.verdicts]
    this.finished.add(item)
    this.rows = this.rows.slice(1)
    const isShort = this.more && this.rows.length < kShortQueue
    // An audit draws a few answers ahead; the next ones come with the queue.
    const drawsEnd = row.why === 'audit' && this.rows.filter(({ why }) => why === 'audit').length < kShortQueue
    if (isShort || drawsEnd || Date.now() - this.queueTime > kOldQueue) this.wantsQueue = true
    this.show()
    this.loop.run()
  }

  /** Puts the shown item behind all others. */
  postpone() {
    const row = this.current
    if (!row || this.view !== 'work') return
    this.notice = null
    this.postponed.add(row.item)
    this.rows = [...this.rows.slice(1), row]
  }

  /** Takes back the verdict on an item, or the last one, and shows the item again. */
  undo(item = this.verdicts[0]?.item) {
    const undone = this.verdicts.find((verdict) => verdict.item === item)
    if (item === undefined || !undone) {
      this.notice = { kind: 'noUndo', item: '', detail: '' }
      return
    }
    this.notice = { kind: 'undone', item, detail: '' }
    this.verdicts = this.verdicts.filter((verdict) => verdict !== undone)
    this.finished.delete(item)
    this.postponed.delete(item)
    const entry = this.unsent.findLast((unsent) => unsent.item === item)
    if (entry?.what === 'verdict' && !this.sentKeys.has(entry.key)) this.drop(entry)
    else this.put({ key: this.environment.newKey(), what: 'undo', item, made: Date.now() })
    if (undone.row) {
      this.rows = [undone.row, ...this.rows.filter((row) => row.item !== item)]
      this.show()
    } else {
      this.wantedItem = item
      this.wantsQueue = true
    }
    this.loop.run()
  }

  private show() {
    if (!this.rows.length) this.wantsQueue = true
    if (this.view !== 'refused') this.view = this.rows.length ? 'work' : 'loading'
  }

  private expectChanges() {
    this.wantsQueue = true
    this.wantsAudit = true
  }

  private put(entry: UnsentVerdict) {
    this.outbox.add(entry)
    this.unsent.push(entry)
    this.waiting = this.unsent.length
  }

  private drop(entry: UnsentVerdict) {
    this.outbox.remove(entry.key)
    this.unsent = this.unsent.filter((other) => other !== entry)
    this.waiting = this.unsent.length
  }

  /** Makes one request; returns false if there is none to make. */
  private async step(): Promise<boolean> {
    const entry = this.unsent[0]
    if (this.me === null) await this.enter()
    else if (entry) await this.send(entry)
    else if (this.wantsQueue) await this.fetchQueue()
    else if (this.wantsAudit) await this.fetchAudit()
    else return false
    return true
  }

  private async enter() {
    const me = await this.client.get<Me>(path('campaigns', this.campaign, 'me'))
    if (me.role !== 'reviewer' || me.campaign?.id !== this.campaign) throw new Problem(403, 'wrong_role', '')
    const verdicts: Verdict[] = []
    let cursor: string | undefined
    for (let pages = 0; pages < kMaxVerdictPages; ++pages) {
      const page = await this.client.get<{ verdicts: Verdict[]; next: string | null }>(
        path('campaigns', this.campaign, 'verdicts'),
        { query: { limit: kVerdictsPerPage, cursor } },
      )
      verdicts.push(...page.verdicts.filter(({ reviewer }) => reviewer === me.reviewer))
      if (page.next === null) break
      cursor = page.next
    }
    this.verdicts = withUnsent(verdicts, this.unsent)
    this.me = me
  }

  private async fetchQueue() {
    const { order, wantedItem } = this
    const reply = await this.client.get<{ items: ReviewRow[] }>(path('campaigns', this.campaign, 'review'), {
      query: { by: order, limit: kQueueLength },
    })
    // The reviewer chose another order meanwhile, or took a verdict back.
    if (order !== this.order || wantedItem !== this.wantedItem) return
    this.wantsQueue = false
    this.queueTime = Date.now()
    this.more = reply.items.length >= kQueueLength
    const shown = this.current
    const fresh = reply.items.filter(({ item }) => !this.finished.has(item) && item !== shown?.item)
    const rank = (row: ReviewRow) =>
      row.item === this.wantedItem ? 0 : row === shown ? 1 : this.postponed.has(row.item) ? 3 : 2
    this.rows = [...(shown ? [shown] : []), ...fresh].sort((a, b) => rank(a) - rank(b))
    this.wantedItem = null
    // Decided items only, of a full page: there are more behind them once the server knows.
    if (!this.rows.length && this.more && this.unsent.length) this.wantsQueue = true
    if (this.view !== 'refused') this.view = this.rows.length ? 'work' : this.wantsQueue ? 'loading' : 'empty'
  }

  private async fetchAudit() {
    this.audit = (await this.client.get<{ audit: Audit | null }>(path('campaigns', this.campaign, 'audit'))).audit
    this.wantsAudit = false
  }

  private async send(entry: UnsentVerdict) {
    // Another tab may have sent it.
    if (!this.outbox.has(entry.key)) return this.drop(entry)
    this.sentKeys.add(entry.key)
    const { item, answer, reason, key } = entry
    try {
      if (entry.what === 'undo') await this.client.post(path('campaigns', this.campaign, 'verdicts', 'undo'), { item }, { key })
      else await this.client.post(path('campaigns', this.campaign, 'verdicts'), { item, answer, ...(reason ? { reason } : {}) }, { key })
      this.drop(entry)
    } catch (error) {
      // A refusal settles this entry. A revoked token does not: the entry stays in the outbox.
      if (!(error instanceof Problem) || error.isTemporary || error.status === 401) throw error
      this.drop(entry)
      this.explain(entry, error)
    }
    if (this.audit) this.wantsAudit = true
  }

  private explain(entry: UnsentVerdict, { code, message }: Problem) {
    const { item } = entry
    // A verdict that is gone already needs no undo: an earlier attempt may have arrived.
    if (entry.what === 'undo' && code === 'conflict') return
    if (entry.what === 'verdict') this.verdicts = this.verdicts.filter((verdict) => verdict.item !== item)
    const kinds: Record<string, Notice['kind']> = { conflict: 'taken', forbidden: 'ownLabel' }
    this.notice = { kind: entry.what === 'verdict' ? (kinds[code] ?? 'refused') : 'refused', item, detail: message }
  }
}
