// A campaign as a page sees it: each report is fetched when the stream of events says that
// something happened, at most once in its own time, never while the page is hidden.
//
// A page that was hidden, a machine that slept, a server that was started anew: in all cases the
// stream is opened again and every report asked for once.
import { Problem } from '../api/client.ts'
import { Live } from '../api/live.ts'
import { Refresh } from '../api/refresh.ts'
import type {
  Asked,
  Calibration,
  Campaign,
  CurvePoint,
  ItemMap,
  Minute,
  Status,
  WorkerRow,
} from '../api/report_types.ts'
import type { Requester } from '../api/requester.ts'

/** What can be watched, and the shortest time from one request to the next, in milliseconds. */
const kEvery = {
  status: 1000,
  curve: 1000,
  map: 2000,
  asked: 1000,
  workers: 2000,
  rate: 2000,
  calibration: 5000,
} as const
export type Report = keyof typeof kEvery

/** Leases end and minutes pass without events. */
const kTimePasses = 10_000
const kRetry = 2000
const kMostAsked = 4
const kMostWorkers = 200

export class Watch {
  campaign = $state.raw<Campaign | null>(null)
  status = $state.raw<Status | null>(null)
  curve = $state.raw<CurvePoint[]>([])
  map = $state.raw<ItemMap | null>(null)
  asked = $state.raw<Asked[]>([])
  /** The server's time when that was so. */
  askedAt = $state(0)
  workers = $state.raw<WorkerRow[]>([])
  moreWorkers = $state(false)
  minutes = $state.raw<Minute[]>([])
  calibration = $state.raw<Calibration | null>(null)
  /** Counts up when the ledger did. */
  changes = $state(0)
  connected = $state(true)
  /** When the last answer came. */
  heard = $state(Date.now())
  /** By what was asked for: what the server said, or that it said nothing. */
  private troubles = $state.raw<Record<string, string>>({})
  readonly trouble = $derived(Object.values(this.troubles)[0] ?? null)

  private live: Live | null = null
  private readonly refreshes: Partial<Record<Report, Refresh>> = {}
  private retry: ReturnType<typeof setTimeout> | undefined
  /** The campaign is not there, or not for us. */
  private refused = false
  private timer: ReturnType<typeof setInterval> | undefined
  private stopped = false

  constructor(
    private readonly server: Requester,
    readonly id: string,
    reports: Report[],
    private readonly explain: (error: unknown) => string,
  ) {
    for (const report of reports) {
      this.refreshes[report] = new Refresh(() => this.guarded(report, () => this.fetch(report)), kEvery[report])
    }
  }

  async start(): Promise<void> {
    document.addEventListener('visibilitychange', this.seen)
    addEventListener('online', this.again)
    addEventListener('pageshow', this.again)
    await this.begin()
  }

  /** Once it is known how far the ledger is: events before that are of no matter. */
  private async begin(): Promise<void> {
    await this.guarded('campaign', async () => {
      this.campaign = await this.server.campaign(this.id)
    })
    if (this.stopped) return
    if (!this.campaign) {
      if (!this.refused) this.retry = setTimeout(() => void this.begin(), kRetry)
      return
    }
    this.live = new Live(
      this.id,
      this.server.client.token,
      this.campaign.events,
      () => this.changed(),
      (is) => (this.connected = is),
    )
    if (!document.hidden) this.live.start()
    for (const refresh of Object.values(this.refreshes)) refresh.ask()
    this.timer = setInterval(() => {
      for (const report of ['rate', 'asked', 'status'] as const) this.refreshes[report]?.ask()
    }, kTimePasses)
  }

  stop(): void {
    this.stopped = true
    clearInterval(this.timer)
    clearTimeout(this.retry)
    document.removeEventListener('visibilitychange', this.seen)
    removeEventListener('online', this.again)
    removeEventListener('pageshow', this.again)
    this.live?.stop()
    for (const refresh of Object.values(this.refreshes)) refresh.stop()
  }

  /** After something that a person did here. */
  async now(): Promise<void> {
    await this.guarded('campaign', async () => {
      this.campaign = await this.server.campaign(this.id)
    })
    await Promise.all(Object.values(this.refreshes).map((refresh) => refresh.atOnce()))
  }

  private changed(): void {
    this.changes += 1
    for (const refresh of Object.values(this.refreshes)) refresh.ask()
  }

  private readonly seen = () => {
    if (document.hidden) this.live?.stop()
    else this.again()
    for (const refresh of Object.values(this.refreshes)) refresh.visibility()
  }

  private readonly again = () => {
    if (document.hidden || !this.live) return
    this.live.stop()
    this.live.start()
    this.changed()
  }

  private async guarded(what: string, work: () => Promise<void>): Promise<void> {
    try {
      await work()
      this.heard = Date.now()
      if (what in this.troubles) {
        this.troubles = Object.fromEntries(Object.entries(this.troubles).filter(([name]) => name !== what))
      }
    } catch (error) {
      if (error instanceof Problem && !error.passing) this.refused = what === 'campaign'
      this.troubles = { ...this.troubles, [what]: this.explain(error) }
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
        this.asked = (await server.asked(id, kMostAsked)).asked
        this.askedAt = server.client.now()
        break
      case 'workers': {
        const page = await server.workers(id, kMostWorkers)
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
    }
  }
}
