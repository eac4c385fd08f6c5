/**
 * The last answer, which can be changed as long as its lease would have lasted: kept in the browser
 * until then, so that a reload does not take that away.
 */
import type { Assignment } from '../api/types.ts'

export interface Last {
  item: Assignment
  label: string
  /** The Idempotency-Key under which it is sent. */
  key: string
}

export class LastAnswer {
  private readonly name: string

  constructor(
    private readonly storage: Storage | null,
    box: string,
  ) {
    this.name = `allot.last.${box}`
  }

  set(last: Last | null) {
    try {
      if (last) this.storage?.setItem(this.name, JSON.stringify(last))
      else this.storage?.removeItem(this.name)
    } catch {
      // No room: whatever stood there is of an answer before this one.
      this.clear()
    }
  }

  /** What is kept, whether or not its time is over; nothing that is not whole. */
  get(): Last | null {
    try {
      const last = JSON.parse(this.storage?.getItem(this.name) ?? 'null') as Partial<Last> | null
      const item: Partial<Assignment> | undefined = last?.item
      const sound =
        typeof last?.label === 'string' &&
        typeof last.key === 'string' &&
        typeof item?.item === 'string' &&
        typeof item.fields === 'object' &&
        typeof item.expires === 'string'
      return sound ? (last as Last) : null
    } catch {
      return null
    }
  }

  private clear() {
    try {
      this.storage?.removeItem(this.name)
    } catch {
      // Then nothing was kept.
    }
  }
}
