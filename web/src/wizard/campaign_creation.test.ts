import { describe, expect, it } from 'vitest'
import { Client } from '../api/client.ts'
import { Requester } from '../api/requester.ts'
import type { NewItem } from '../api/report_types.ts'
import { CampaignCreation } from './campaign_creation.ts'

/** A server that fails at some calls and records all of them. */
function fakeServer(failing: Set<number>) {
  const calls: { path: string; key: string | null; body: Record<string, unknown> }[] = []
  const fetching: typeof fetch = (address, options) => {
    const path = String(address)
    const key = new Headers(options?.headers).get('Idempotency-Key')
    calls.push({ path, key, body: JSON.parse(String(options?.body)) as Record<string, unknown> })
    if (failing.has(calls.length)) return Promise.reject(new TypeError('no network'))
    const body = path.endsWith('/links')
      ? { link: `/label/c1#allot_${calls.length}` }
      : path.endsWith('/items')
        ? { added: 1, known: 0 }
        : { id: 'c1' }
    return Promise.resolve(Response.json(body, { status: 201 }))
  }
  return { calls, server: new Requester(new Client('allot_x', fetching)) }
}

const campaign = { name: 'n', classes: ['no', 'yes'], budget: 10 }
const items: NewItem[] = Array.from({ length: 2500 }, (_, n) => ({ id: String(n), fields: { text: 'x' } }))

describe('CampaignCreation', () => {
  it('creates the campaign, its items a thousand at a time, and one link per worker', async () => {
    const { calls, server } = fakeServer(new Set())
    const creation = new CampaignCreation(server, campaign, items, ['ann', 'bob'], 'https://here.test', 'k1')
    const reported: number[] = []
    expect(await creation.run(({ items: sent }) => reported.push(sent))).toBe('c1')
    expect(calls.map((call) => call.path)).toEqual([
      '/api/v1/campaigns',
      ...Array<string>(3).fill('/api/v1/campaigns/c1/items'),
      ...Array<string>(2).fill('/api/v1/campaigns/c1/links'),
    ])
    expect(reported).toEqual([1000, 2000, 2500, 2500, 2500])
    expect(creation.links.map(({ link }) => link)).toEqual([
      'https://here.test/label/c1#allot_5',
      'https://here.test/label/c1#allot_6',
    ])
  })

  it('continues where it stopped, under the same keys', async () => {
    // Every call fails once.
    const { calls, server } = fakeServer(new Set([1, 3, 5, 7, 9]))
    const creation = new CampaignCreation(server, campaign, items, ['ann'], 'https://here.test', 'k1')
    let tries = 0
    for (;;) {
      ++tries
      try {
        await creation.run(() => undefined)
        break
      } catch {
        expect(tries).toBeLessThan(10)
      }
    }
    expect(tries).toBe(6)
    const keyed = new Map<string, string>()
    for (const { key, body } of calls.filter((call) => call.key !== null)) {
      const text = JSON.stringify(body)
      expect(keyed.get(key ?? '') ?? text).toBe(text)
      keyed.set(key ?? '', text)
    }
    expect(keyed.size).toBe(4)
    expect(creation.links.length).toBe(1)
  })
})
