/**
 * Keeps one press from answering two items: the second click of a double click, a key that is held,
 * a finger that bounces. Nobody reads an item in so short a time.
 */
export const kPointerRest = 300
export const kKeyRest = 100

export class Guard {
  private since = -Infinity

  /** Another item is shown now. */
  shown(now: number) {
    this.since = now
  }

  lets(now: number, by: 'pointer' | 'key') {
    return now - this.since >= (by === 'pointer' ? kPointerRest : kKeyRest)
  }
}
