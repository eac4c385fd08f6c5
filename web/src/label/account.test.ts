import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { accountToken, Client, type Fetch } from '../api/client.ts'
import { accountBox, accountFor } from './account.ts'

const page = { pathname: '/label/c1', hash: '' }
const clientOf = (fetcher: Fetch) => new Client(accountToken(''), fetcher)
const never: Fetch = () => Promise.reject(new Error('no request expected'))
const state = (accounts: boolean, person: string | null) => ({ accounts, provider: 'Example', person, role: null })

describe('accountFor', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('asks nothing for a link', async () => {
    expect(await accountFor({ pathname: '/label/c1', hash: '#allot_a_b' }, () => undefined, clientOf(never))).toBeNull()
  })

  it('finds the person, if the server has accounts', async () => {
    const answering = (body: unknown, status = 200) => clientOf(() => Promise.resolve(Response.json(body, { status })))
    const ask = (client: Client) => accountFor(page, () => undefined, client)
    expect(await ask(answering(state(true, 'ann@example.org')))).toEqual({ person: 'ann@example.org', provider: 'Example' })
    expect(await ask(answering(state(true, null)))).toEqual({ person: null, provider: 'Example' })
    expect(await ask(answering(state(false, null)))).toBeNull()
    expect(await ask(answering({ code: 'sign_in_refused' }, 403))).toEqual({ person: null, provider: null })
  })

  it('waits for a server that does not answer', async () => {
    let attempts = 0
    const client = clientOf(() => {
      if (++attempts < 3) return Promise.reject(new TypeError('cut'))
      return Promise.resolve(Response.json(state(true, 'ann@example.org')))
    })
    const waits = vi.fn()
    const found = accountFor(page, waits, client)
    await vi.runAllTimersAsync()
    expect((await found)?.person).toBe('ann@example.org')
    expect(waits).toHaveBeenCalledTimes(2)
  })
})

describe('accountBox', () => {
  it('is another one for each person, and none begins like another with a dot behind it', () => {
    const boxes = ['ann@example.org', 'ann@example.org.uk', 'ann', ''].map((person) => accountBox('c1', { person, provider: null }))
    expect(new Set(boxes).size).toBe(boxes.length)
    for (const one of boxes) expect(boxes.filter((other) => other.startsWith(`${one}.`))).toEqual([])
  })
})
