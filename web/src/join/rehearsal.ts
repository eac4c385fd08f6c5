/**
 * A rehearsal: a requester tries the page of participants. It plays the server for the worker's page, with
 * the items of the campaign, which it only reads. Nothing is leased, recorded or paid.
 */
import { accountToken, Client, type Fetch, path } from '../api/client.ts'
import type { RecruitingLink } from '../api/recruiting_types.ts'
import type { Campaign, ItemReport, ItemRow } from '../api/report_types.ts'
import type { Assignment, Assignments, LabelsReply, Me, SessionProgress } from '../api/types.ts'
import { storedToken } from '../frame/stored_token.ts'
import { addAmounts } from '../label/fields.ts'

const kMostItems = 500
const kLease = 24 * 3600 * 1000

/** What the rehearsal knows of the study. */
export interface Play {
  campaign: Campaign
  link: RecruitingLink
  /** The items to ask about, known ones of the qualification first. */
  items: ItemRow[]
  read: (item: string) => Promise<ItemReport>
}

/** Reads what a rehearsal needs; throws the server's refusal if the person is not the requester. */
export async function prepare(campaign: string, link: string, fetcher?: Fetch): Promise<Play> {
  const client = new Client(storedToken() ?? accountToken(''), fetcher)
  const route = (...parts: string[]) => path('campaigns', campaign, ...parts)
  const [about, { links }, { items }] = await Promise.all([
    client.get<Campaign>(route()),
    client.get<{ links: RecruitingLink[] }>(route('recruiting')),
    client.get<{ items: ItemRow[] }>(route('items'), { query: { state: 'all', order: 'given', limit: kMostItems } }),
  ])
  const found = links.find(({ id }) => id === link)
  if (!found) throw new Error('unknown link')
  const tests = items.filter(({ gold }) => gold !== null).slice(0, found.terms.qualification.items)
  const others = items.filter(({ gold, settled }) => gold === null && settled === null)
  return {
    campaign: about,
    link: found,
    items: [...tests, ...others],
    read: (item) => client.get<ItemReport>(route('item'), { query: { id: item } }),
  }
}

interface Given {
  item: string
  label: string
}
type Body = Partial<Given> & { labels?: Given[]; revise?: boolean; count?: number; next?: number }

/** The replies of a server to one participant, who starts over with every rehearsal. */
export class Rehearsal {
  /** Answers by item; null for skipped ones. */
  private readonly answers = new Map<string, string | null>()
  private readonly leased: Assignment[] = []
  private readonly tests: ItemRow[]
  private earned = 0

  constructor(private readonly play: Play) {
    this.tests = play.items.filter(({ gold }) => gold !== null)
  }

  readonly fetch: Fetch = async (input, init) => {
    const name = String(input).split('?')[0]?.split('/').pop()
    const body = JSON.parse(String(init?.body ?? '{}')) as Body
    return Response.json(await this.reply(name ?? '', init?.method ?? 'GET', body))
  }

  private async reply(name: string, method: string, body: Body): Promise<unknown> {
    if (name === 'me') return this.me()
    if (name === 'assignments') return method === 'GET' ? this.assignments(this.leased, 0) : this.give(body.count ?? 1)
    if (name === 'skip') {
      this.take(body.item ?? '', null)
      return { item: body.item, next: await this.give(body.next ?? 1), session: this.progress() }
    }
    const given = body.labels ?? [{ item: body.item ?? '', label: body.label ?? '' }]
    // What the labels mean is fixed before they count.
    const feedback = this.progress().qualification?.feedback ?? false
    for (const { item, label } of given) this.take(item, label)
    return {
      labels: given.map((one) => ({ item: one.item, outcome: 'recorded', ...(feedback ? this.compare(one) : {}) })),
      next: body.revise ? null : await this.give(body.next ?? 1),
      session: this.progress(),
    } satisfies LabelsReply
  }

  private me(): Me {
    const { campaign } = this.play
    return {
      role: 'participant',
      label: '',
      worker: '',
      reviewer: null,
      campaign: {
        id: campaign.id,
        name: campaign.name,
        classes: campaign.options.classes,
        labels: [...this.answers.values()].filter((label) => label !== null).length,
        at_hand: this.leased.length,
        ...(campaign.page ? { page: campaign.page } : {}),
        phase: 'running',
        earned: this.earned,
        session: this.progress(),
      },
    }
  }

  private take(item: string, label: string | null): void {
    const lease = this.leased.findIndex((one) => one.item === item)
    if (lease >= 0) {
      const [ended] = this.leased.splice(lease, 1)
      if (label !== null) this.earned = addAmounts(this.earned, ended?.price ?? 0)
    }
    this.answers.set(item, label)
  }

  private compare({ item, label }: Given): { right?: boolean; answer?: string } {
    const answer = this.tests.find((test) => test.item === item)?.gold
    return answer === null || answer === undefined ? {} : { right: answer === label, answer }
  }

  /** Items that nobody has asked about yet; those of the qualification come alone. */
  private get waiting(): ItemRow[] {
    const tests = this.tests.filter(({ item }) => !this.answers.has(item))
    const rest = tests.length > 0 ? tests : this.play.items.filter(({ item }) => !this.answers.has(item))
    return rest.filter(({ item }) => !this.leased.some((lease) => lease.item === item))
  }

  private async give(count: number): Promise<Assignments> {
    const { terms } = this.play.link
    const progress = this.progress()
    if (progress.end) return this.assignments([], count)
    const room = progress.qualification ? count : terms.labels - progress.labels - this.leased.length
    const reports = await Promise.all(this.waiting.slice(0, Math.min(count, room)).map(({ item }) => this.play.read(item)))
    const given = reports.map((report) => this.lease(report))
    this.leased.push(...given)
    return this.assignments(given, count)
  }

  private lease({ item, fields, price }: ItemReport): Assignment {
    const { page, options } = this.play.campaign
    const shown = Object.entries(fields).filter(([name]) => page?.fields?.[name] !== 'hidden')
    return {
      item,
      fields: Object.fromEntries(shown),
      price,
      expires: new Date(Date.now() + kLease).toISOString(),
      ...(page?.shuffle ? { classes: shuffled(options.classes) } : {}),
    }
  }

  /** A reply with fewer items than were asked for says that there are no more, so that the page does not ask again at once. */
  private assignments(given: Assignment[], count: number): Assignments {
    const shortfall = given.length < count ? { code: 'no_work', detail: '' } : null
    return { assignments: given, shortfall, session: this.progress() }
  }

  private progress(): SessionProgress {
    const { terms } = this.play.link
    const tried = this.tests.filter(({ item }) => this.answers.has(item))
    const right = tried.filter(({ item, gold }) => this.answers.get(item) === gold).length
    const isTest = (item: string) => this.tests.some((test) => test.item === item)
    const labels = [...this.answers].filter(([item, label]) => label !== null && !isTest(item)).length
    const skipped = [...this.answers].filter(([item, label]) => label === null && !isTest(item)).length
    const of = this.tests.length
    const isTesting = tried.length < of
    const outcome =
      !isTesting && of > 0 && right / of < terms.qualification.least_right - 1e-9
        ? 'screened-out'
        : labels >= terms.labels
          ? 'done'
          : this.play.items.every(({ item }) => this.answers.has(item))
            ? skipped > 0
              ? 'incomplete'
              : 'no-work'
            : null
    const codes = {
      done: terms.codes.done,
      'screened-out': terms.codes.screened_out,
      'no-work': terms.codes.no_work,
      incomplete: terms.codes.incomplete,
    }
    return {
      labels,
      of: terms.labels,
      skipped,
      qualification: isTesting ? { tried: tried.length, of, feedback: terms.qualification.feedback } : null,
      end: outcome && { outcome, code: codes[outcome], return_url: null, form: null },
    }
  }
}

function shuffled<T>(values: T[]): T[] {
  return values
    .map((value) => ({ value, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ value }) => value)
}
