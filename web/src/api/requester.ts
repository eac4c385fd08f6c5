/** A requester's calls to the server, one function per route. Reports come with an ETag, so that the
 *  browser's cache serves them again while nothing changes. */
import { path, problemFrom, type Client, type Options } from './client.ts'
import type {
  LeasedItem,
  Calibration,
  Campaign,
  Confusion,
  CampaignChange,
  CampaignEntry,
  CurvePoint,
  Explanation,
  ForecastRow,
  GroupRow,
  KindRow,
  ItemMap,
  ItemRow,
  KnownAnswers,
  ItemReport,
  Link,
  MinuteCount,
  NewCampaign,
  NewItem,
  Person,
  Standing,
  StandingChange,
  Status,
  TokenRow,
  WorkerRow,
} from './report_types.ts'
import type { ModelRun, Models, ModelStart, PromptPreview } from './model_types.ts'
import type { NewRecruitingLink, RecruitingLink, SessionRow } from './recruiting_types.ts'
import type { Audit, NewAudit } from './review_types.ts'
import { signInState } from './sign_in.ts'
import type { Amount, Me } from './types.ts'

export interface ItemQuery {
  search?: string
  state?: 'open' | 'asked' | 'settled' | 'gold' | 'all'
  order?: 'given' | 'certainty' | 'labels'
  direction?: 'up' | 'down'
  limit?: number
  cursor?: string
}

export interface ForecastRequest {
  items: number
  classes: number
  budgets: number[]
  price?: Amount
  labels_per_item?: number
  /** The share of labels that are right; without it, the forecast assumes that items can be arbitrarily unclear. */
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

  /** Fetches all campaigns, up to ten thousand: one page cannot show more. */
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
  change = (id: string, to: CampaignChange) =>
    this.client.patch<Campaign>(path('campaigns', id), to)
  pause = (id: string) => this.client.post<Campaign>(path('campaigns', id, 'pause'))
  resume = (id: string) => this.client.post<Campaign>(path('campaigns', id, 'resume'))
  close = (id: string, reason: string) => this.client.post<Campaign>(path('campaigns', id, 'close'), { reason })
  archive = (id: string) => this.client.post<Campaign>(path('campaigns', id, 'archive'))
  unarchive = (id: string) => this.client.post<Campaign>(path('campaigns', id, 'unarchive'))
  /** Deletes an archived campaign for good. */
  remove = (id: string) => this.client.delete<unknown>(path('campaigns', id), { timeout: 600_000 })
  link = (id: string, worker: string) => this.client.post<Link>(path('campaigns', id, 'links'), { worker })
  reviewerLink = (id: string, reviewer: string) => this.client.post<Link>(path('campaigns', id, 'links'), { reviewer })
  recruit = (id: string, link: NewRecruitingLink) =>
    this.client.post<RecruitingLink>(path('campaigns', id, 'recruiting'), link)
  recruiting = (id: string) => this.client.get<{ links: RecruitingLink[] }>(path('campaigns', id, 'recruiting'), report)
  changeRecruiting = (id: string, link: string, change: Partial<NewRecruitingLink>) =>
    this.client.patch<RecruitingLink>(path('campaigns', id, 'recruiting', link), change)
  sessions = (id: string) =>
    this.client.get<{ sessions: SessionRow[]; next: string | null }>(path('campaigns', id, 'sessions'), report)
  startAudit = (id: string, audit: NewAudit) =>
    this.client.post<{ audit: Audit }>(path('campaigns', id, 'audits'), audit, { timeout: 120_000 })
  decide = (id: string, verdict: { item: string; answer: string; reason: string; reviewer: string }) =>
    this.client.post<unknown>(path('campaigns', id, 'verdicts'), verdict)
  undoVerdict = (id: string, item: string, reviewer: string) =>
    this.client.post<unknown>(path('campaigns', id, 'verdicts', 'undo'), { item, reviewer })
  importLabels = (id: string, labels: { item: string; worker: string; label: string }[]) =>
    this.client.post<{ recorded: number; already: number; refused: number; problems: string[] }>(
      path('campaigns', id, 'labels', 'import'),
      { labels },
      { timeout: 60_000 },
    )
  setStanding = (id: string, worker: string, standing: Standing, reason: string) =>
    this.client.put<StandingChange>(path('campaigns', id, 'standing'), { worker, standing, reason }, { timeout: 60_000 })
  setGroup = (id: string, worker: string, group: string) =>
    this.client.put<unknown>(path('campaigns', id, 'groups'), group === '' ? { worker } : { worker, group }, { timeout: 60_000 })
  groups = (id: string) => this.client.get<{ groups: GroupRow[]; kinds: KindRow[] }>(path('campaigns', id, 'groups'), report)
  models = (id: string) => this.client.get<Models>(path('campaigns', id, 'models'))
  previewPrompt = (id: string, prompt: string) =>
    this.client.post<PromptPreview>(path('campaigns', id, 'models', 'preview'), { prompt })
  startModels = (id: string, start: ModelStart) => this.client.post<ModelRun>(path('campaigns', id, 'models', 'start'), start)
  stopModels = (id: string) => this.client.post<ModelRun>(path('campaigns', id, 'models', 'stop'))
  confusion = (id: string, worker: string) =>
    this.client.get<Confusion>(path('campaigns', id, 'confusion'), { ...report, query: { worker } })
  revoke = (token: string) => this.client.delete<unknown>(path('tokens', token))
  /** Fetches all tokens that the caller can see, up to ten thousand. */
  async tokens(): Promise<TokenRow[]> {
    const all: TokenRow[] = []
    let cursor: string | undefined
    for (let pages = 0; pages < 10; ++pages) {
      const page = await this.client.get<{ tokens: TokenRow[]; next: string | null }>(path('tokens'), {
        query: { limit: 1000, cursor },
      })
      all.push(...page.tokens)
      if (!page.next) break
      cursor = page.next
    }
    return all
  }
  signInState = () => signInState(this.client)
  /** Fetches all people who work in the campaign with their accounts, up to ten thousand. */
  async people(id: string): Promise<Person[]> {
    const all: Person[] = []
    let cursor: string | undefined
    for (let pages = 0; pages < 10; ++pages) {
      const page = await this.client.get<{ people: Person[]; next: string | null }>(path('campaigns', id, 'people'), {
        query: { limit: 1000, cursor },
      })
      all.push(...page.people)
      if (!page.next) break
      cursor = page.next
    }
    return all
  }
  addPerson = (id: string, address: string, role: Person['role']) =>
    this.client.put<Person>(path('campaigns', id, 'people', address), { role })
  removePerson = (id: string, address: string) => this.client.delete<unknown>(path('campaigns', id, 'people', address))
  setPrice = (id: string, worker: string, price: Amount) =>
    this.client.put<unknown>(path('campaigns', id, 'prices'), { worker, price })
  settle = (id: string, item: string, reason: string) =>
    this.client.post<unknown>(path('campaigns', id, 'settle'), { item, reason })
  twin = (id: string, policy: string, name: string) =>
    this.client.post<CampaignEntry>(path('campaigns', id, 'twin'), { policy, name }, { timeout: 120_000 })
  forecast = (request: ForecastRequest, signal: AbortSignal) =>
    this.client.post<{ rows: ForecastRow[] }>(path('forecast'), request, { signal })

  status = (id: string) => this.client.get<Status>(path('campaigns', id, 'status'), report)
  curve = (id: string) => this.client.get<{ points: CurvePoint[] }>(path('campaigns', id, 'curve'), report)
  map = (id: string) => this.client.get<ItemMap>(path('campaigns', id, 'map'), report)
  leasedItems = (id: string, limit: number) =>
    this.client.get<{ asked: LeasedItem[] }>(path('campaigns', id, 'asked'), { ...report, query: { limit } })
  workers = (id: string, limit: number, cursor?: string) =>
    this.client.get<{ workers: WorkerRow[]; next: string | null }>(path('campaigns', id, 'workers'), {
      ...report,
      query: { limit, cursor },
    })
  rate = (id: string) => this.client.get<{ minutes: MinuteCount[] }>(path('campaigns', id, 'rate'), report)
  calibration = (id: string) => this.client.get<Calibration>(path('campaigns', id, 'calibration'), report)
  knownAnswers = (id: string) => this.client.get<KnownAnswers>(path('campaigns', id, 'known-answers'), report)
  audit = (id: string) => this.client.get<{ audit: Audit | null }>(path('campaigns', id, 'audit'), report)
  items = (id: string, query: ItemQuery, signal?: AbortSignal) =>
    this.client.get<{ items: ItemRow[]; next: string | null }>(path('campaigns', id, 'items'), {
      ...report,
      query: { ...query },
      ...(signal ? { signal } : {}),
    })
  item = (id: string, item: string, signal?: AbortSignal) =>
    this.client.get<ItemReport>(path('campaigns', id, 'item'), {
      ...report,
      query: { id: item },
      ...(signal ? { signal } : {}),
    })

  explain = (id: string, item: string, worker: string) =>
    this.client.get<Explanation>(path('campaigns', id, 'explain'), { query: { item, worker } })

  /** Fetches an export of the campaign as a file. */
  async export(id: string, what: string, format: string): Promise<Blob> {
    const response = await this.client.open('GET', path('campaigns', id, 'export', what), undefined, {
      query: { format },
      timeout: 600_000,
    })
    if (!response.ok) throw problemFrom(response, await response.json().catch(() => null))
    return response.blob()
  }
}
