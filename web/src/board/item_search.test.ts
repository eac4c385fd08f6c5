import { describe, expect, it } from 'vitest'
import type { ItemRow } from '../api/report_types.ts'
import type { ItemQuery } from '../api/requester.ts'
import { findItems, kSearchedPerRequest, type SearchTools } from './item_search.ts'

/** A server with `count` items, of which every one in `hits` matches; each request takes `seconds`. */
function fakeServer(count: number, hits: number[], seconds = 0.1) {
  const asked: ItemQuery[] = []
  const reports: number[] = []
  let now = 0
  const tools: SearchTools = {
    items(query) {
      asked.push(query)
      now += seconds * 1000
      const items: ItemRow[] = []
      let at = Number(query.cursor || 0)
      const end = Math.min(count, at + (query.search ? kSearchedPerRequest : count))
      for (; at < end && items.length < (query.limit ?? 0); ++at) {
        if (!query.search || hits.includes(at)) items.push({ item: `r${at}` } as ItemRow)
      }
      return Promise.resolve({ items, next: at < count ? String(at) : null })
    },
    now: () => now,
    report: (searched) => void reports.push(searched),
  }
  return { tools, asked, reports }
}
const names = (rows: ItemRow[]) => rows.map((row) => row.item)

describe('findItems', () => {
  it('takes one request without a search', async () => {
    const { tools, asked } = fakeServer(200_000, [])
    const found = await findItems({ limit: 15 }, tools)
    expect([found.rows.length, found.next, found.searched, asked.length]).toEqual([15, '15', null, 1])
  })

  it('continues until it finds the last item, and reports how far it is', async () => {
    const { tools, asked, reports } = fakeServer(200_000, [199_999])
    const found = await findItems({ limit: 15, search: 'x' }, tools)
    expect([names(found.rows), found.next, found.searched]).toEqual([['r199999'], null, null])
    expect(asked).toHaveLength(20)
    expect(reports.at(-1)).toBe(190_000)
  })

  it('stops when the page is full, and the next page continues there', async () => {
    const { tools } = fakeServer(50_000, [5, 25_000, 25_001, 25_002])
    const found = await findItems({ limit: 3, search: 'x' }, tools)
    expect([names(found.rows), found.next]).toEqual([['r5', 'r25000', 'r25001'], '25002'])
    const second = await findItems({ limit: 3, search: 'x', cursor: found.next ?? '' }, tools)
    expect([names(second.rows), second.next]).toEqual([['r25002'], null])
  })

  it('stops at the time limit, tells how far it looked, and continues when asked', async () => {
    const { tools } = fakeServer(200_000, [3, 150_000], 1)
    const found = await findItems({ limit: 15, search: 'x' }, tools)
    expect([names(found.rows), found.searched]).toEqual([['r3'], 40_000])
    const more = await findItems({ limit: 15, search: 'x' }, tools, found)
    expect([names(more.rows), more.searched]).toEqual([['r3'], 80_000])
    let last = more
    for (let n = 0; n < 5 && last.searched !== null; ++n) last = await findItems({ limit: 15, search: 'x' }, tools, last)
    expect([names(last.rows), last.next]).toEqual([['r3', 'r150000'], null])
  })
})
