// The items being labelled, as a person reads them: a row with an open explanation stays after its label
// came, and no row moves while the pointer or the focus is in the list.
import type { LeasedItem } from '../api/report_types.ts'

export interface ShownLease {
  leased: LeasedItem
  /** Whether the worker no longer has the item. */
  ended: boolean
  /** The label that ended it, once known. */
  label: string | null
}

export const leaseKey = ({ item, worker, since }: LeasedItem) => `${item} ${worker} ${since}`

export class LeaseList {
  shown = $state.raw<ShownLease[]>([])
  private latest: LeasedItem[] = []
  private pinned: string[] = []
  private held = false

  /** `labelOf` finds the label with which a worker answered an item. */
  constructor(private readonly labelOf: (leased: LeasedItem) => Promise<string | null>) {}

  /** Takes a new report of the server. */
  update(items: LeasedItem[]): void {
    this.latest = items
    this.show()
  }

  /** Keeps a row, or lets it go. */
  pin(leased: LeasedItem, pinned: boolean): void {
    const key = leaseKey(leased)
    this.pinned = this.pinned.filter((other) => other !== key)
    if (pinned) this.pinned.push(key)
    this.show()
  }

  /** Keeps all rows that are shown, or lets those go that are not pinned. */
  hold(held: boolean): void {
    if (this.held === held) return
    this.held = held
    this.show()
  }

  private show(): void {
    const kept = this.shown
      .filter((row) => this.held || this.pinned.includes(leaseKey(row.leased)))
      .map((row) => {
        const leased = this.latest.find((one) => leaseKey(one) === leaseKey(row.leased))
        if (leased) return { leased, ended: false, label: null }
        if (!row.ended) void this.findLabel(row.leased)
        return { ...row, ended: true }
      })
    const isNew = (leased: LeasedItem) => !kept.some((row) => leaseKey(row.leased) === leaseKey(leased))
    // While rows are held, new ones wait unless there is nothing to hold.
    const added = this.held && kept.length > 0 ? [] : this.latest.filter(isNew)
    this.shown = [...kept, ...added.map((leased) => ({ leased, ended: false, label: null }))]
  }

  private async findLabel(leased: LeasedItem): Promise<void> {
    const label = await this.labelOf(leased).catch(() => null)
    if (label === null) return
    const key = leaseKey(leased)
    this.shown = this.shown.map((row) => (leaseKey(row.leased) === key && row.ended ? { ...row, label } : row))
  }
}
