import { describe, expect, it } from 'vitest'
import { accountToken, Client, path, Problem, ConnectionError } from './client.ts'

type SentRequest = { address: string; init: RequestInit }

function clientWith(reply: () => Response | Promise<Response>) {
  const sent: SentRequest[] = []
  const client = new Client('allot_x_y', (async (address: string, init: RequestInit) => {
    sent.push({ address, init })
    return reply()
  }) as typeof fetch)
  return { client, sent }
}

const json = (body: unknown, init: ResponseInit = {}) =>
  new Response(JSON.stringify(body), { ...init, headers: { 'Content-Type': 'application/json', ...init.headers } })

describe('Client', () => {
  it('sends the token, the key and JSON', async () => {
    const { client, sent } = clientWith(() => json({ a: 1 }))
    expect(await client.post('/x', { b: 2 }, { key: 'k', query: { limit: 3, cursor: undefined } })).toEqual({ a: 1 })
    expect(sent[0]?.address).toBe('/x?limit=3')
    expect(sent[0]?.init.headers).toMatchObject({ Authorization: 'Bearer allot_x_y', 'Idempotency-Key': 'k' })
    expect(sent[0]?.init.body).toBe('{"b":2}')
  })

  it('leaves it to the cookie who sends the request of an account', async () => {
    const sent: RequestInit[] = []
    const client = new Client(accountToken('ann@example.org'), (async (_: string, init: RequestInit) => {
      sent.push(init)
      return json({})
    }) as typeof fetch)
    await client.get('/x')
    expect(sent[0]?.headers).not.toHaveProperty('Authorization')
    expect(sent[0]?.credentials).toBe('same-origin')
  })

  it('turns a refusal into a Problem', async () => {
    const refusal = { code: 'busy', detail: 'later' }
    const type = { 'Content-Type': 'application/problem+json', 'Retry-After': '3' }
    const { client } = clientWith(() => new Response(JSON.stringify(refusal), { status: 503, headers: type }))
    const problem = await client.get('/x').catch((error: unknown) => error)
    expect(problem).toBeInstanceOf(Problem)
    expect(problem).toMatchObject({ status: 503, code: 'busy', message: 'later', retryAfter: 3, isTemporary: true })
  })

  it('turns an error page of a proxy into a Problem', async () => {
    const { client } = clientWith(() => new Response('<html>', { status: 502 }))
    await expect(client.get('/x')).rejects.toMatchObject({ status: 502, isTemporary: true })
  })

  it('reports a lost connection, also in the middle of a reply', async () => {
    const gone = clientWith(() => Promise.reject(new TypeError('failed')))
    await expect(gone.client.get('/x')).rejects.toBeInstanceOf(ConnectionError)
    const cut = clientWith(() => new Response('{"a":', { headers: { 'Content-Type': 'application/json' } }))
    await expect(cut.client.get('/x')).rejects.toBeInstanceOf(ConnectionError)
  })

  it('learns the server\'s time from its replies', async () => {
    const later = new Date(Date.now() + 3_600_000).toUTCString()
    const { client } = clientWith(() => json({}, { headers: { Date: later } }))
    await client.get('/x')
    expect(client.now() - Date.now()).toBeGreaterThan(3_590_000)
  })
})

it('path escapes its parts', () => {
  expect(path('campaigns', 'a b', 'items')).toBe('/api/v1/campaigns/a%20b/items')
})
