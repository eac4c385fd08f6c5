/** What a requester asks the server, a function a route. Reports come with an ETag, so the browser's
 *  cache saves sending them again while nothing happened. */
import { path, problemOf, type Client, type Options } from './client.ts'
import type {
  Asked,
  Calibration,
  Campaign,
  CampaignEntry,
  CurvePoint,
  Explained,
  ForecastRow,
  ItemMap,
  ItemRow,
  ItemStory,
  Link,
  Minute,
  NewCampaign,
  NewItem,
  Status,
  WorkerRow,
} from './report_types.ts'
import type { Amount, Me, Page } from './types.ts'

export interface ItemQuery {
  search?: string
  state?: 'open' | 'asked' | 'settled' | 'gold' | 'all'
  order?: 'given' | 'certainty' | 'labels'
  direction?: 'up' | 'down'
  limit?: number
  cursor?: string
}

export interface ForecastQuestion {
  items: number
  classes: number
  budgets: number[]
  price?: Amount
  labels_an_item?: number
  /** How often workers are right; without it, items may be as unclear as can be. */
  reliability?: number
}

const report: Options = { cache: 'no-cache' }

export class Requester {
  constructor(readonly client: Client) {}

  me = () => this.client.get<Me>(path('me'))

  campaigns = (cursor?: string) =>
    this.client.get<{ campaigns: CampaignEntry[]; next: string | null }>(path('campaigns'), {
      query: { limit: 100, cursor },
    })

  /** All of them; a server with more than ten thousand is not for one page. */
  async allCampaigns(): Promise<CampaignEntry[]> {
    const all: CampaignEntry[] = []
    let cursor: string | undefined
    for (let pages = 0; pages < 100; ++pages) {
      const page = await this.campaigns(cursor)
      all.push(...page.campaigns)
      if (!page.next) break
      cursor = page.next
    }
    return all
  }

  campaign = (id: string) => this.client.get<Campaign>(path('campaigns', id))
  create = (campaign: NewCampaign, key: string) => this.client.post<CampaignEntry>(path('campaigns'), campaign, { key })
  addItems = (id: string, items: NewItem[], key: string) =>
    this.client.post<{ added: number }>(path('campaigns', id, 'items'), { items }, { key, timeout: 60_000 })
  change = (id: string, to: { name?: string; budget?: Amount; page?: Page }) =>
    this.client.patch<Campaign>(path('campaigns', id), to)
  pause = (id: string) => this.client.post<Campaign>(path('campaigns', id, 'pause'))
  resume = (id: string) => this.client.post<Campaign>(path('campaigns', id, 'resume'))
  close = (id: string, reason: string) => this.client.post<Campaign>(path('campaigns', id, 'close'), { reason })
  link = (id: string, worker: string) => this.client.post<Link>(path('campaigns', id, 'links'), { worker })
  setPrice = (id: string, worker: string, price: Amount) =>
    this.client.put<unknown>(path('campaigns', id, 'prices'), { worker, price })
  settle = (id: string, item: string, reason: string) =>
    this.client.post<unknown>(path('campaigns', id, 'settle'), { item, reason })
  twin = (id: string, policy: string, name: string) =>
    this.client.post<CampaignEntry>(path('campaigns', id, 'twin'), { policy, name }, { timeout: 120_000 })
  forecast = (question: ForecastQuestion, signal: AbortSignal) =>
    this.client.post<{ rows: ForecastRow[] }>(path('forecast'), question, { signal })

  status = (id: string) => this.client.get<Status>(path('campaigns', id, 'status'), report)
  curve = (id: string) => this.client.get<{ points: CurvePoint[] }>(path('campaigns', id, 'curve'), report)
  map = (id: string) => this.client.get<ItemMap>(path('campaigns', id, 'map'), report)
  asked = (id: string, limit: number) =>
    this.client.get<{ asked: Asked[] }>(path('campaigns', id, 'asked'), { ...report, query: { limit } })
  workers = (id: string, limit: number, cursor?: string) =>
    this.client.get<{ workers: WorkerRow[]; next: string | null }>(path('campaigns', id, 'workers'), {
      ...report,
      query: { limit, cursor },
    })
  rate = (id: string) => this.client.get<{ minutes: Minute[] }>(path('campaigns', id, 'rate'), report)
  calibration = (id: string) => this.client.get<Calibration>(path('campaigns', id, 'calibration'), report)
  items = (id: string, query: ItemQuery, signal?: AbortSignal) =>
    this.client.get<{ items: ItemRow[]; next: string | null }>(path('campaigns', id, 'items'), {
      ...report,
      query: { ...query },
      ...(signal ? { signal } : {}),
    })
  item = (id: string, item: string) =>
    this.client.get<ItemStory>(path('campaigns', id, 'item'), { ...report, query: { id: item } })

  explain = (id: string, item: string, worker: string) =>
    this.client.get<Explained>(path('campaigns', id, 'explain'), { query: { item, worker } })

  /** A file of the campaign, as bytes. */
  async export(id: string, what: string, format: string): Promise<Blob> {
    const answer = await this.client.open('GET', path('campaigns', id, 'export', what), undefined, {
      query: { format },
      timeout: 600_000,
    })
    if (!answer.ok) throw problemOf(answer, await answer.json().catch(() => null))
    return answer.blob()
  }
}
