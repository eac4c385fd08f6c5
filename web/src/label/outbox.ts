/**
 * Answers that are not known to have arrived, kept in the browser until they are. An entry is a key
 * of its own in the storage, so that two tabs cannot write over each other, and has all that is sent:
 * whoever sends it again, now or after a reload, sends the same request under the same
 * Idempotency-Key, and the server counts it once.
 */
export interface Entry {
  /** The Idempotency-Key. */
  key: string
  what: 'label' | 'revise' | 'skip'
  item: string
  /** None of a skip. */
  label?: string
  /** What it pays, as the server said. */
  price: number | string
  /** Milliseconds since 1970; entries are sent in this order. */
  made: number
}

export class Outbox {
  private readonly prefix: string
  /** Where there is no storage (it may be full, or forbidden), entries last as long as the page. */
  private readonly memory = new Map<string, string>()

  constructor(
    private readonly storage: Storage | null,
    box: string,
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
      // Nothing was kept there.
    }
  }

  has(key: string) {
    return this.entries().some((one) => one.key === key)
  }

  /** All of this box, also those of other tabs, in the order they were made. */
  entries(): Entry[] {
    const found = [...this.memory.values()]
    try {
      for (let n = 0; n < (this.storage?.length ?? 0); ++n) {
        const name = this.storage?.key(n)
        const text = name?.startsWith(this.prefix) ? this.storage?.getItem(name) : null
        if (text) found.push(text)
      }
    } catch {
      // As if it were empty.
    }
    return found
      .map(read)
      .filter((one) => one !== null)
      .sort((a, b) => a.made - b.made || (a.key < b.key ? -1 : 1))
  }
}

function read(text: string): Entry | null {
  try {
    const entry = JSON.parse(text) as Partial<Entry>
    const sound = typeof entry.key === 'string' && typeof entry.item === 'string' && typeof entry.made === 'number'
    return sound && (entry.what === 'skip' || typeof entry.label === 'string') ? (entry as Entry) : null
  } catch {
    return null
  }
}
