import { describe, expect, it } from 'vitest'
import { Client, path, Problem, Unreachable } from './client.ts'

type Seen = { address: string; init: RequestInit }

function clientOf(answer: () => Response | Promise<Response>) {
  const seen: Seen[] = []
  const client = new Client('allot_x_y', (async (address: string, init: RequestInit) => {
    seen.push({ address, init })
    return answer()
  }) as typeof fetch)
  return { client, seen }
}

const json = (body: unknown, init: ResponseInit = {}) =>
  new Response(JSON.stringify(body), { ...init, headers: { 'Content-Type': 'application/json', ...init.headers } })

describe('Client', () => {
  it('sends the token, the key and JSON', async () => {
    const { client, seen } = clientOf(() => json({ a: 1 }))
    expect(await client.post('/x', { b: 2 }, { key: 'k', query: { limit: 3, cursor: undefined } })).toEqual({ a: 1 })
    expect(seen[0]?.address).toBe('/x?limit=3')
    expect(seen[0]?.init.headers).toMatchObject({ Authorization: 'Bearer allot_x_y', 'Idempotency-Key': 'k' })
    expect(seen[0]?.init.body).toBe('{"b":2}')
  })

  it('makes a Problem of a refusal', async () => {
    const refusal = { code: 'busy', detail: 'later' }
    const type = { 'Content-Type': 'application/problem+json', 'Retry-After': '3' }
    const { client } = clientOf(() => new Response(JSON.stringify(refusal), { status: 503, headers: type }))
    const problem = await client.get('/x').catch((error: unknown) => error)
    expect(problem).toBeInstanceOf(Problem)
    expect(problem).toMatchObject({ status: 503, code: 'busy', message: 'later', retryAfter: 3, passing: true })
  })

  it('makes a Problem also of what a proxy says', async () => {
    const { client } = clientOf(() => new Response('<html>', { status: 502 }))
    await expect(client.get('/x')).rejects.toMatchObject({ status: 502, passing: true })
  })

  it('knows a server that cannot be reached, also in the midst of an answer', async () => {
    const gone = clientOf(() => Promise.reject(new TypeError('failed')))
    await expect(gone.client.get('/x')).rejects.toBeInstanceOf(Unreachable)
    const cut = clientOf(() => new Response('{"a":', { headers: { 'Content-Type': 'application/json' } }))
    await expect(cut.client.get('/x')).rejects.toBeInstanceOf(Unreachable)
  })

  it('learns the time from the server', async () => {
    const later = new Date(Date.now() + 3_600_000).toUTCString()
    const { client } = clientOf(() => json({}, { headers: { Date: later } }))
    await client.get('/x')
    expect(client.now() - Date.now()).toBeGreaterThan(3_590_000)
  })
})

it('path makes names safe', () => {
  expect(path('campaigns', 'a b', 'items')).toBe('/api/v1/campaigns/a%20b/items')
})
