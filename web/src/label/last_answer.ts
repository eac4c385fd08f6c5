/**
 * The last answer, which the worker can change until its lease would have ended. The browser keeps
 * it until then, so that undo works after a reload.
 */
import type { Assignment } from '../api/types.ts'

export interface LastAnswer {
  item: Assignment
  label: string
  /** The Idempotency-Key under which the answer is sent. */
  key: string
}

export class LastAnswerStore {
  private readonly name: string

  constructor(
    private readonly storage: Storage | null,
    box: string,
  ) {
    this.name = `allot.last.${box}`
  }

  set(last: LastAnswer | null) {
    try {
      if (last) this.storage?.setItem(this.name, JSON.stringify(last))
      else this.storage?.removeItem(this.name)
    } catch {
      // The storage is full: it must not keep an older answer either.
      this.clear()
    }
  }

  /** Returns the stored answer even if its lease is over, and null if it is damaged. */
  get(): LastAnswer | null {
    try {
      const last = JSON.parse(this.storage?.getItem(this.name) ?? 'null') as Partial<LastAnswer> | null
      const item: Partial<Assignment> | undefined = last?.item
      const isComplete =
        typeof last?.label === 'string' &&
        typeof last.key === 'string' &&
        typeof item?.item === 'string' &&
        typeof item.fields === 'object' &&
        typeof item.expires === 'string'
      return isComplete ? (last as LastAnswer) : null
    } catch {
      return null
    }
  }

  private clear() {
    try {
      this.storage?.removeItem(this.name)
    } catch {
      // Without storage there is nothing to clear.
    }
  }
}
