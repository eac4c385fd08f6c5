/**
 * Answers that the server has not confirmed, kept in the browser until it has. Each entry has its own
 * key in the storage, so that two tabs cannot overwrite each other. An entry holds the whole request:
 * any tab that sends it again, now or after a reload, sends the same request under the same
 * Idempotency-Key, and the server counts it once.
 */
export interface Unsent {
  /** The Idempotency-Key. */
  key: string
  item: string
  /** Milliseconds since 1970; entries are sent in this order. */
  made: number
}

/** Why a worker skips an item; the API's words. */
export const kSkipReasons = ['none', 'several', 'unsure', 'unclear', 'broken', 'other'] as const
export type SkipReason = (typeof kSkipReasons)[number]

/** An answer of a worker. */
export interface OutboxEntry extends Unsent {
  what: 'label' | 'revise' | 'skip'
  /** Absent for a skip. */
  label?: string
  /** The pay for this label, as the server stated it. */
  price: number | string
  /** Number of items to ask for in the same request; 1 if absent. */
  next?: number
  /** Time for which the item was in view. */
  seconds?: number
  /** Of a skip. */
  reason?: SkipReason
  note?: string
}

export const isOutboxEntry = (entry: Partial<OutboxEntry>) => entry.what === 'skip' || typeof entry.label === 'string'

export class Outbox<Entry extends Unsent> {
  private readonly prefix: string
  /** Entries that the storage did not take because it is full or forbidden; they last as long as the page. */
  private readonly memory = new Map<string, string>()

  constructor(
    private readonly storage: Storage | null,
    box: string,
    /** Whether an entry that was read has all that its request needs. */
    private readonly isComplete: (entry: Partial<Entry>) => boolean,
  ) {
    this.prefix = `allot.out.${box}.`
  }

  add(entry: Entry) {
    const name = this.prefix + entry.key
    const text = JSON.stringify(entry)
    try {
      if (this.storage === null) throw new Error('no storage')
      this.storage.setItem(name, text)
    } catch {
      this.memory.set(name, text)
    }
  }

  remove(key: string) {
    const name = this.prefix + key
    this.memory.delete(name)
    try {
      this.storage?.removeItem(name)
    } catch {
      // Without storage there is nothing to remove.
    }
  }

  has(key: string) {
    return this.entries().some((entry) => entry.key === key)
  }

  /** All entries of this box in the order they were made, including those of other tabs. */
  entries(): Entry[] {
    const stored = [...this.memory.values()]
    try {
      for (let n = 0; n < (this.storage?.length ?? 0); ++n) {
        const name = this.storage?.key(n)
        const text = name?.startsWith(this.prefix) ? this.storage?.getItem(name) : null
        if (text) stored.push(text)
      }
    } catch {
      // Storage that cannot be read counts as empty.
    }
    return stored
      .map((text) => this.parse(text))
      .filter((entry) => entry !== null)
      .sort((a, b) => a.made - b.made || (a.key < b.key ? -1 : 1))
  }

  private parse(text: string): Entry | null {
    try {
      const entry = JSON.parse(text) as Partial<Entry>
      const isNamed = typeof entry.key === 'string' && typeof entry.item === 'string' && typeof entry.made === 'number'
      return isNamed && this.isComplete(entry) ? (entry as Entry) : null
    } catch {
      return null
    }
  }
}
