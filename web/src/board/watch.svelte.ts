// The reports of a campaign, kept up to date. Each report is fetched again when the event stream
// reports a change, at most once per interval, and never while the page is hidden.
//
// After the page was hidden, the machine slept or the server restarted, the stream is opened again and
// every report is fetched once.
import { Problem } from '../api/client.ts'
import { EventStream } from '../api/event_stream.ts'
import { Refresh } from '../api/refresh.ts'
import type {
  LeasedItem,
  Calibration,
  Campaign,
  CurvePoint,
  GroupRow,
  KindRow,
  ItemMap,
  KnownAnswers,
  MinuteCount,
  Status,
  WorkerRow,
} from '../api/report_types.ts'
import type { Audit } from '../api/review_types.ts'
import type { Requester } from '../api/requester.ts'
import { setMoney } from '../look/format.ts'

/** Reports, and the shortest interval between two requests for each, in milliseconds. */
const kIntervals = {
  status: 1000,
  curve: 1000,
  map: 2000,
  asked: 1000,
  workers: 2000,
  rate: 2000,
  calibration: 5000,
  audit: 3000,
  known: 5000,
  groups: 5000,
} as const
export type Report = keyof typeof kIntervals

/** Interval for reports that change with the time alone: leases end and minutes pass without events. */
const kTimedInterval = 10_000
const kRetryDelay = 2000
const kMaxLeasedItems = 4
const kMaxWorkers = 200

export class Watch {
  campaign = $state.raw<Campaign | null>(null)
  status = $state.raw<Status | null>(null)
  curve = $state.raw<CurvePoint[]>([])
  map = $state.raw<ItemMap | null>(null)
  leasedItems = $state.raw<LeasedItem[]>([])
  /** The server's time when it reported the leased items. */
  leasedAt = $state(0)
  workers = $state.raw<WorkerRow[]>([])
  moreWorkers = $state(false)
  groups = $state.raw<GroupRow[]>([])
  kinds = $state.raw<KindRow[]>([])
  minutes = $state.raw<MinuteCount[]>([])
  calibration = $state.raw<Calibration | null>(null)
  audit = $state.raw<Audit | null>(null)
  known = $state.raw<KnownAnswers | null>(null)
  /** Grows with every change in the ledger. */
  changes = $state(0)
  connected = $state(true)
  /** Time of the last reply. */
  lastReply = $state(Date.now())
  /** Errors of the last requests, by report. */
  private troubles = $state.raw<Record<string, string>>({})
  readonly trouble = $derived(Object.values(this.troubles)[0] ?? null)

  private stream: EventStream | null = null
  private readonly refreshes: Partial<Record<Report, Refresh>> = {}
  private retry: ReturnType<typeof setTimeout> | undefined
  /** Whether the server refuses this campaign for good: it does not exist or belongs to someone else. */
  refused = $state(false)
  private timer: ReturnType<typeof setInterval> | undefined
  private stopped = false

  constructor(
    private readonly server: Requester,
    readonly id: string,
    reports: Report[],
    private readonly explain: (error: unknown) => string,
  ) {
    for (const report of reports) {
      this.refreshes[report] = new Refresh(() => this.attempt(report, () => this.fetch(report)), kIntervals[report])
    }
  }

  private async readCampaign() {
    const campaign = await this.server.campaign(this.id)
    setMoney(campaign.page?.currency, campaign.options.price, campaign.budget)
    this.campaign = campaign
  }

  async start(): Promise<void> {
    document.addEventListener('visibilitychange', this.visibilityChanged)
    addEventListener('online', this.restart)
    addEventListener('pageshow', this.restart)
    await this.begin()
  }

  /** Opens the stream after the last event that the campaign's report includes. */
  private async begin(): Promise<void> {
    await this.attempt('campaign', async () => {
      await this.readCampaign()
    })
    if (this.stopped) return
    if (!this.campaign) {
      if (!this.refused) this.retry = setTimeout(() => void this.begin(), kRetryDelay)
      return
    }
    this.stream = new EventStream(
      this.id,
      this.server.client.token,
      this.campaign.events,
      () => this.changed(),
      (connected) => (this.connected = connected),
    )
    if (!document.hidden) this.stream.start()
    for (const refresh of Object.values(this.refreshes)) refresh.request()
    this.timer = setInterval(() => {
      for (const report of ['rate', 'asked', 'status'] as const) this.refreshes[report]?.request()
    }, kTimedInterval)
  }

  stop(): void {
    this.stopped = true
    clearInterval(this.timer)
    clearTimeout(this.retry)
    document.removeEventListener('visibilitychange', this.visibilityChanged)
    removeEventListener('online', this.restart)
    removeEventListener('pageshow', this.restart)
    this.stream?.stop()
    for (const refresh of Object.values(this.refreshes)) refresh.stop()
  }

  /** Fetches everything at once, after a person changed something. */
  async refreshNow(): Promise<void> {
    await this.attempt('campaign', async () => {
      await this.readCampaign()
    })
    await Promise.all(Object.values(this.refreshes).map((refresh) => refresh.runNow()))
  }

  private changed(): void {
    this.changes += 1
    for (const refresh of Object.values(this.refreshes)) refresh.request()
  }

  private readonly visibilityChanged = () => {
    if (document.hidden) this.stream?.stop()
    else this.restart()
    for (const refresh of Object.values(this.refreshes)) refresh.visibilityChanged()
  }

  private readonly restart = () => {
    if (document.hidden || !this.stream) return
    this.stream.stop()
    this.stream.start()
    this.changed()
  }

  private async attempt(name: string, work: () => Promise<void>): Promise<void> {
    try {
      await work()
      this.lastReply = Date.now()
      if (name in this.troubles) {
        this.troubles = Object.fromEntries(Object.entries(this.troubles).filter(([other]) => other !== name))
      }
    } catch (error) {
      if (error instanceof Problem && !error.isTemporary) this.refused = name === 'campaign'
      this.troubles = { ...this.troubles, [name]: this.explain(error) }
    }
  }

  private async fetch(report: Report): Promise<void> {
    const { server, id } = this
    switch (report) {
      case 'status':
        this.status = await server.status(id)
        break
      case 'curve':
        this.curve = (await server.curve(id)).points
        break
      case 'map':
        this.map = await server.map(id)
        break
      case 'asked':
        this.leasedItems = (await server.leasedItems(id, kMaxLeasedItems)).asked
        this.leasedAt = server.client.now()
        break
      case 'workers': {
        const page = await server.workers(id, kMaxWorkers)
        this.workers = page.workers
        this.moreWorkers = page.next !== null
        break
      }
      case 'rate':
        this.minutes = (await server.rate(id)).minutes
        break
      case 'calibration':
        this.calibration = await server.calibration(id)
        break
      case 'audit':
        this.audit = (await server.audit(id)).audit
        break
      case 'known':
        this.known = await server.knownAnswers(id)
        break
      case 'groups':
        ;({ groups: this.groups, kinds: this.kinds } = await server.groups(id))
        break
    }
  }
}
