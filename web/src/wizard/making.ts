// Makes a campaign with its items and links, step by step. Every step is sent under a key of its
// own, so that what the server took already is not done twice when one tries again.
import type { CampaignEntry, NewCampaign, NewItem } from '../api/report_types.ts'
import type { Requester } from '../api/requester.ts'
import type { MadeLink } from '../board/links.ts'
import { batches } from './columns.ts'

export interface Progress {
  items: number
  links: number
}

export class Making {
  private entry: CampaignEntry | null = null
  private readonly batches: NewItem[][]
  private sent = 0
  readonly links: MadeLink[] = []

  constructor(
    private readonly server: Requester,
    private readonly campaign: NewCampaign,
    items: NewItem[],
    private readonly workers: string[],
    private readonly origin: string,
    /** The same one goes on with what was begun, also after a reload. */
    private readonly key: string,
  ) {
    this.batches = batches(items)
  }

  /** Whether there is a campaign already. */
  get begun(): boolean {
    return this.entry !== null
  }

  /** From where it stopped; throws what the server says. Returns the id. */
  async go(told: (progress: Progress) => void): Promise<string> {
    this.entry ??= await this.server.create(this.campaign, this.key)
    const { id } = this.entry
    for (; this.sent < this.batches.length; ++this.sent) {
      await this.server.addItems(id, this.batches[this.sent] ?? [], `${this.key}-${this.sent}`)
      told({ items: this.itemsUpTo(this.sent + 1), links: 0 })
    }
    for (const worker of this.workers.slice(this.links.length)) {
      const { link } = await this.server.link(id, worker)
      this.links.push({ worker, link: new URL(link, this.origin).href })
      told({ items: this.itemsUpTo(this.sent), links: this.links.length })
    }
    return id
  }

  private itemsUpTo(batch: number): number {
    return this.batches.slice(0, batch).reduce((sum, one) => sum + one.length, 0)
  }
}
