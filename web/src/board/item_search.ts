// Finds the items of one page of a list. The server looks through a limited number of items per request,
// so a search in a large campaign takes several.
import type { ItemReport, ItemRow } from '../api/report_types.ts'
import type { ItemQuery } from '../api/requester.ts'

/** Items that the server looks through per request. */
export const kSearchedPerRequest = 10_000
/** Milliseconds after which a search stops until the requester asks it to continue. */
const kTimeLimit = 4000

export interface FoundItems {
  rows: ItemRow[]
  next: string | null
  /** The number of items that were searched, if the search stopped before the page was full. */
  searched: number | null
  requests: number
}

export interface SearchTools {
  items(query: ItemQuery): Promise<{ items: ItemRow[]; next: string | null }>
  now(): number
  /** Reports the number of items searched so far. */
  report(searched: number): void
}

/** Fetches a page of at most `limit` rows. `before` continues a search that stopped. */
export async function findItems(
  query: ItemQuery & { limit: number },
  tools: SearchTools,
  before: FoundItems | null = null,
): Promise<FoundItems> {
  const end = tools.now() + kTimeLimit
  const found: FoundItems = {
    rows: [...(before?.rows ?? [])],
    next: before?.next ?? query.cursor ?? '',
    searched: null,
    requests: before?.requests ?? 0,
  }
  for (;;) {
    const page = await tools.items({ ...query, limit: query.limit - found.rows.length, cursor: found.next ?? '' })
    found.rows.push(...page.items)
    found.next = page.next
    found.requests += 1
    if (!query.search || found.next === null || found.rows.length >= query.limit) return found
    const searched = found.requests * kSearchedPerRequest
    if (tools.now() >= end) return { ...found, searched }
    tools.report(searched)
  }
}

/** The members of an item's report that its row in a list has too. */
type ItemFacts = ItemReport & Pick<ItemRow, 'state' | 'labels' | 'at_hand' | 'answer' | 'probability'>

/** The row of an item that was found by its id. */
export function rowOf(report: ItemReport, text: string): ItemRow {
  const { item, state, answer, probability, labels, at_hand, settled, gold, truth } = report as ItemFacts
  return { item, state, text, answer, probability, labels, at_hand, settled, gold, truth }
}
