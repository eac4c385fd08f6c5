/** Measures for how long an item is in view: the time while the page is visible. */
export class ViewTimer {
  private item: string | null = null
  private sum = 0
  private since: number | null = null

  constructor(private readonly now: () => number = () => performance.now()) {}

  /** An item is in view from now on, or none; the same item again changes nothing. */
  show(item: string | null, isVisible = true) {
    if (item === this.item) return
    this.item = item
    this.sum = 0
    this.since = item !== null && isVisible ? this.now() : null
  }

  /** The page was hidden or shown. */
  setVisible(isVisible: boolean) {
    if (this.since !== null) this.sum += this.now() - this.since
    this.since = isVisible && this.item !== null ? this.now() : null
  }

  /** Seconds for which the item was in view, up to a day; nothing if another one is, or none was seen. */
  secondsOf(item: string): number | undefined {
    if (item !== this.item) return undefined
    const seconds = (this.sum + (this.since === null ? 0 : this.now() - this.since)) / 1000
    return seconds > 0 ? Math.min(86_400, Math.round(seconds * 1000) / 1000) : undefined
  }
}
