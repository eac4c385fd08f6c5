// A reviewer's session against a small fake server, whose connection can be cut before or after a request.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Client } from '../api/client.ts'
import { ReviewSession } from './review_session.svelte.ts'
import { FakeReviewServer, kCampaign, reviewRow } from './testing/fake_review_server.ts'

const settle = () => vi.advanceTimersByTimeAsync(0)
const sessions: ReviewSession[] = []
let keys = 0

async function open(server: FakeReviewServer): Promise<ReviewSession> {
  const client = new Client('allot_a_b', server.fetch)
  const session = new ReviewSession(client, kCampaign, { storage: localStorage, newKey: () => `key${++keys}` }, 'box')
  sessions.push(session)
  session.start()
  await settle()
  return session
}

/** Ends a session as a reload does. */
function leave(session: ReviewSession) {
  session.stop()
  sessions.splice(sessions.indexOf(session), 1)
}

const items = (session: ReviewSession) => session.rows.map(({ item }) => item)

beforeEach(() => {
  vi.useFakeTimers({ now: new Date('2026-01-01T12:00:00Z') })
  localStorage.clear()
})
afterEach(() => {
  for (const session of sessions.splice(0)) session.stop()
  vi.useRealTimers()
})

describe('ReviewSession', () => {
  it('shows the next item at once and sends verdicts with their reasons', async () => {
    const server = new FakeReviewServer(['a', 'b', 'c'])
    const session = await open(server)
    expect([session.view, ...items(session)]).toEqual(['work', 'a', 'b', 'c'])
    session.decide('no', 'irony')
    expect(session.current?.item).toBe('b')
    expect([session.decidedToday, session.waiting]).toEqual([1, 1])
    await settle()
    session.decide('yes', '')
    await settle()
    expect(server.ledger).toEqual(['no a: irony', 'yes b'])
    expect([session.decidedToday, session.waiting]).toEqual([2, 0])
    session.decide('yes', '')
    expect(session.view).toBe('loading')
    await settle()
    expect(session.view).toBe('empty')
    expect(localStorage).toHaveLength(0)
  })

  it('looks again while the queue is empty', async () => {
    const server = new FakeReviewServer([])
    const session = await open(server)
    expect(session.view).toBe('empty')
    server.queue = [reviewRow('late')]
    await vi.advanceTimersByTimeAsync(30_000)
    expect([session.view, ...items(session)]).toEqual(['work', 'late'])
  })

  it('keeps verdicts without a connection and sends each once, in order', async () => {
    for (const cut of ['before', 'after'] as const) {
      localStorage.clear()
      const server = new FakeReviewServer(['a', 'b', 'c'])
      const session = await open(server)
      server.cut = cut
      session.decide('no', '')
      session.decide('yes', 'sure')
      await vi.advanceTimersByTimeAsync(20_000)
      expect([session.connected, session.waiting, session.current?.item]).toEqual([false, 2, 'c'])
      server.cut = 'none'
      session.wake()
      await settle()
      expect([session.connected, session.waiting, session.current?.item]).toEqual([true, 0, 'c'])
      expect(server.ledger).toEqual(['no a', 'yes b: sure'])
      expect(session.notice).toBeNull()
    }
  })

  it('sends verdicts again after a reload, and they count once', async () => {
    for (const cut of ['before', 'after'] as const) {
      localStorage.clear()
      const server = new FakeReviewServer(['a', 'b'])
      const first = await open(server)
      server.cut = cut
      first.decide('no', '')
      await settle()
      leave(first)
      server.cut = 'none'
      const second = await open(server)
      expect(server.ledger).toEqual(['no a'])
      expect([second.decidedToday, second.waiting, ...items(second)]).toEqual([1, 0, 'b'])
    }
  })

  it('explains a refused verdict and does not show its item again', async () => {
    const server = new FakeReviewServer(['a', 'b', 'c', 'd'])
    const session = await open(server)
    server.decide('a', 'yes', 'kim')
    session.decide('no', '')
    await settle()
    expect(session.notice).toMatchObject({ kind: 'taken', item: 'a' })
    server.refusals.set('b', { status: 403, code: 'forbidden' })
    session.decide('no', '')
    await settle()
    expect(session.notice).toMatchObject({ kind: 'ownLabel', item: 'b' })
    server.refusals.set('c', { status: 422, code: 'invalid' })
    session.decide('no', '')
    await settle()
    expect(session.notice).toEqual({ kind: 'refused', item: 'c', detail: 'detail of invalid' })
    session.wake()
    await settle()
    expect(items(session)).toEqual(['d'])
    expect([session.decidedToday, ...server.ledger]).toEqual([0])
  })

  it('keeps a verdict that a revoked token could not send', async () => {
    const server = new FakeReviewServer(['a'])
    const session = await open(server)
    server.refusals.set('a', { status: 401, code: 'bad_token' })
    session.decide('no', '')
    await settle()
    expect([session.view, session.refusal, session.waiting]).toEqual(['refused', 'bad_token', 1])
    expect(localStorage).toHaveLength(1)
  })

  it('refuses the link of a worker', async () => {
    const server = new FakeReviewServer(['a'])
    server.role = 'worker'
    expect((await open(server)).refusal).toBe('wrong_role')
  })

  it('takes verdicts back, the last or a named one', async () => {
    const server = new FakeReviewServer(['a', 'b', 'c'])
    const session = await open(server)
    session.undo()
    expect(session.notice?.kind).toBe('noUndo')
    session.decide('no', '')
    session.decide('no', '')
    await settle()
    session.undo()
    expect([session.current?.item, session.decidedToday]).toEqual(['b', 1])
    session.decide('yes', '')
    session.undo('a')
    expect([session.view, session.current?.item]).toEqual(['work', 'a'])
    session.decide('yes', '')
    await settle()
    expect(server.ledger).toEqual(['no a', 'no b', 'undo b', 'yes b', 'undo a', 'yes a'])
    expect(items(session)).toEqual(['c'])
  })

  it('forgets a verdict that was never sent', async () => {
    const server = new FakeReviewServer(['a', 'b'])
    const session = await open(server)
    server.cut = 'before'
    session.decide('no', '')
    session.decide('no', '')
    session.undo()
    server.cut = 'none'
    session.wake()
    await settle()
    expect(server.ledger).toEqual(['no a'])
    expect(items(session)).toEqual(['b'])
  })

  it('takes a verdict back once although the reply was lost', async () => {
    const server = new FakeReviewServer(['a', 'b'])
    const session = await open(server)
    session.decide('no', '')
    await settle()
    server.cut = 'after'
    session.undo()
    await settle()
    server.cut = 'none'
    session.wake()
    await settle()
    expect(server.ledger).toEqual(['no a', 'undo a'])
    expect([session.notice?.kind, ...items(session)]).toEqual(['undone', 'a', 'b'])
  })

  it('counts own verdicts of today and takes back one from before a reload', async () => {
    const server = new FakeReviewServer(['a', 'b', 'c', 'd', 'e'])
    server.decide('b', 'yes', 'rae', '', '2025-12-30T12:00:00Z')
    server.decide('c', 'yes', 'rae', 'clear')
    server.decide('d', 'yes', 'kim')
    const session = await open(server)
    expect(session.verdicts.map(({ item }) => item)).toEqual(['c', 'b'])
    expect([session.decidedToday, ...items(session)]).toEqual([1, 'a', 'e'])
    session.undo()
    await settle()
    expect(items(session)).toEqual(['c', 'a', 'e'])
    expect(server.ledger).toEqual(['undo c'])
  })

  it('shows an item again although the queue was on its way without it', async () => {
    const server = new FakeReviewServer(['a', 'b'])
    server.decide('b', 'yes', 'rae')
    const session = await open(server)
    let release: () => void = () => undefined
    server.gate = new Promise((resolve) => (release = resolve))
    session.wake()
    await settle()
    session.undo()
    release()
    await settle()
    expect(items(session)).toEqual(['b', 'a'])
  })

  it('puts an item off, also when the queue is fetched again', async () => {
    const server = new FakeReviewServer(['a', 'b', 'c'])
    const session = await open(server)
    session.postpone()
    expect(items(session)).toEqual(['b', 'c', 'a'])
    session.wake()
    await settle()
    expect(items(session)).toEqual(['b', 'c', 'a'])
    session.decide('no', '')
    session.decide('no', '')
    await settle()
    expect(items(session)).toEqual(['a'])
    server.queue.push(reviewRow('new'))
    session.wake()
    await settle()
    // The shown item does not change under the reader.
    expect(items(session)).toEqual(['a', 'new'])
  })

  it('fetches the queue in the chosen order', async () => {
    const server = new FakeReviewServer(['a', 'b'])
    const session = await open(server)
    session.setOrder('disputed')
    expect([session.view, session.current]).toEqual(['loading', null])
    await settle()
    expect([session.view, session.current?.item]).toEqual(['work', 'a'])
    expect(server.orders).toEqual(['uncertain', 'disputed'])
  })

  it('fetches the next draws of an audit before the last are decided', async () => {
    const server = new FakeReviewServer([reviewRow('a', 'audit'), reviewRow('b', 'audit'), reviewRow('z')])
    const session = await open(server)
    server.queue.splice(2, 0, reviewRow('c', 'audit'))
    session.decide('no', '')
    await settle()
    expect(items(session)).toEqual(['b', 'c', 'z'])
  })

  it('follows the progress of an audit', async () => {
    const server = new FakeReviewServer([reviewRow('a', 'audit'), reviewRow('b')])
    server.audit = { checked: 3, checks: 10 }
    const session = await open(server)
    expect(session.audit?.checked).toBe(3)
    session.decide('no', '')
    await settle()
    expect(session.audit?.checked).toBe(4)
  })
})
