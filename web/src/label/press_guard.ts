/**
 * Keeps one press from answering two items: the second click of a double click, a key that is held,
 * a finger that bounces. Nobody reads an item in so short a time.
 */
export const kPointerDelay = 300
export const kKeyDelay = 100

export class PressGuard {
  private since = -Infinity

  /** Notes that another item is shown. */
  itemShown(now: number) {
    this.since = now
  }

  allows(now: number, by: 'pointer' | 'key') {
    return now - this.since >= (by === 'pointer' ? kPointerDelay : kKeyDelay)
  }
}
