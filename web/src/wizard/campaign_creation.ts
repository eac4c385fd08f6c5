// Creates a campaign with its items and links, step by step. Every step is sent under its own key, so
// that a new attempt repeats nothing that the server has already done.
import type { CampaignEntry, NewCampaign, NewItem } from '../api/report_types.ts'
import type { Requester } from '../api/requester.ts'
import type { WorkerLink } from '../board/links.ts'
import { batches } from './columns.ts'

export interface Progress {
  items: number
  links: number
}

export class CampaignCreation {
  private entry: CampaignEntry | null = null
  private readonly batches: NewItem[][]
  private sent = 0
  readonly links: WorkerLink[] = []

  constructor(
    private readonly server: Requester,
    private readonly campaign: NewCampaign,
    items: NewItem[],
    private readonly workers: string[],
    private readonly origin: string,
    /** The same key continues the same creation, also after a reload. */
    private readonly key: string,
  ) {
    this.batches = batches(items)
  }

  /** Whether the campaign exists already. */
  get hasBegun(): boolean {
    return this.entry !== null
  }

  /** Continues where it stopped and returns the id of the campaign; throws the server's error. */
  async run(report: (progress: Progress) => void): Promise<string> {
    this.entry ??= await this.server.create(this.campaign, this.key)
    const { id } = this.entry
    for (; this.sent < this.batches.length; ++this.sent) {
      await this.server.addItems(id, this.batches[this.sent] ?? [], `${this.key}-${this.sent}`)
      report({ items: this.itemsUpTo(this.sent + 1), links: 0 })
    }
    for (const worker of this.workers.slice(this.links.length)) {
      const { link } = await this.server.link(id, worker)
      this.links.push({ worker, link: new URL(link, this.origin).href })
      report({ items: this.itemsUpTo(this.sent), links: this.links.length })
    }
    return id
  }

  private itemsUpTo(batch: number): number {
    return this.batches.slice(0, batch).reduce((sum, items) => sum + items.length, 0)
  }
}
