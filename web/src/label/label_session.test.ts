// A session against a small fake server, whose connection can be cut before or after a request.
import { describe, expect, it, vi } from 'vitest'
import { fakeTabs, openSession, settle, unsentNames, useFakeBrowser } from './testing/fake_browser.ts'
import { FakeServer } from './testing/fake_server.ts'

useFakeBrowser()

describe('LabelSession', () => {
  it('holds items ahead and shows the next one at once', async () => {
    const server = new FakeServer(10)
    const session = openSession(server)
    expect(session.view).toBe('loading')
    await settle()
    expect(session.view).toBe('work')
    expect(session.items).toHaveLength(3)
    session.answer('yes')
    // Nothing was sent yet.
    expect(session.current?.item).toBe('i1')
    expect(session.labels).toBe(1)
    await settle()
    expect(server.ledger).toEqual([{ item: 'i0', label: 'yes', revised: false }])
    expect(session.items.map(({ item }) => item)).toEqual(['i1', 'i2', 'i3'])
    expect(session.waiting).toBe(0)
    expect([session.labels, session.earned]).toEqual([1, 0.1])
  })

  it('skips an item', async () => {
    const server = new FakeServer(5)
    const session = openSession(server)
    await settle()
    session.skip()
    await settle()
    expect(server.skipped).toEqual(['i0'])
    expect([session.current?.item, session.labels]).toEqual(['i1', 0])
  })

  it('works without a connection and sends every answer once, in order', async () => {
    for (const cut of ['before', 'after'] as const) {
      localStorage.clear()
      const server = new FakeServer(10)
      const session = openSession(server)
      await settle()
      server.cut = cut
      session.answer('yes')
      session.answer('no')
      await vi.advanceTimersByTimeAsync(5_000)
      session.answer('yes')
      await vi.advanceTimersByTimeAsync(20_000)
      expect(session.connected).toBe(false)
      expect(session.waiting).toBe(3)
      expect(session.labels).toBe(3)
      expect(session.view).toBe('loading')
      server.cut = 'none'
      session.wake()
      await settle()
      await settle()
      expect(session.connected).toBe(true)
      expect(server.ledger.map(({ item, label }) => item + label)).toEqual(['i0yes', 'i1no', 'i2yes'])
      expect(session.view).toBe('work')
      expect([session.waiting, session.labels]).toEqual([0, 3])
    }
  })

  it('reconnects when the server is back', async () => {
    const server = new FakeServer(5)
    const session = openSession(server)
    await settle()
    server.cut = 'before'
    session.answer('yes')
    await vi.advanceTimersByTimeAsync(60_000)
    server.cut = 'none'
    await vi.advanceTimersByTimeAsync(20_000)
    expect(server.ledger).toHaveLength(1)
    expect(session.connected).toBe(true)
  })

  it('sends unconfirmed answers after a reload, and they count once', async () => {
    for (const cut of ['before', 'after'] as const) {
      localStorage.clear()
      const server = new FakeServer(10)
      const first = openSession(server)
      await settle()
      server.cut = cut
      first.answer('yes')
      await settle()
      first.stop()
      server.cut = 'none'
      const second = openSession(server)
      await settle()
      await settle()
      expect(server.ledger).toEqual([{ item: 'i0', label: 'yes', revised: false }])
      expect(second.labels).toBe(1)
      expect(second.items.map(({ item }) => item)).not.toContain('i0')
      expect(second.current?.item).toBe('i1')
      expect(unsentNames()).toHaveLength(0)
    }
  })

  it('leases no item twice when a reply is lost', async () => {
    const server = new FakeServer(10)
    const session = openSession(server)
    server.cut = 'none'
    await settle()
    for (const label of ['yes', 'yes', 'yes']) session.answer(label)
    server.cut = 'after'
    await settle()
    server.cut = 'none'
    await vi.advanceTimersByTimeAsync(3_000)
    expect(server.leases.map(({ item }) => item).sort()).toEqual(session.items.map(({ item }) => item).sort())
  })

  it('keeps a quick worker busy over a slow network', async () => {
    const server = new FakeServer(200)
    server.delay = 1_500
    const session = openSession(server)
    await vi.advanceTimersByTimeAsync(5_000)
    const given: string[] = []
    for (let second = 0; second < 40; ++second) {
      expect(session.view).toBe('work')
      given.push(session.current?.item ?? '')
      session.answer('yes')
      await vi.advanceTimersByTimeAsync(1_000)
    }
    await vi.advanceTimersByTimeAsync(10_000)
    expect(server.ledger.map(({ item }) => item)).toEqual(given)
    expect([session.waiting, session.labels, session.earned]).toEqual([0, 40, 4])
    // Nobody else could get the items that the worker holds.
    expect(server.leases.length).toBeLessThanOrEqual(10)
    // Answers go together: there are fewer requests than answers.
    expect(server.requests.filter((request) => request === 'POST labels').length).toBeLessThan(35)
  })

  it('reports what the server refuses among several answers', async () => {
    const server = new FakeServer(20)
    const session = openSession(server)
    await settle()
    server.cut = 'before'
    session.answer('yes')
    await settle()
    for (const label of ['yes', 'no']) session.answer(label)
    server.leases = server.leases.filter(({ item }) => item !== 'i1')
    server.cut = 'none'
    session.wake()
    await settle()
    await settle()
    expect(server.ledger.map(({ item, label }) => item + label)).toEqual(['i0yes', 'i2no'])
    expect([session.notice, session.labels, session.waiting]).toEqual(['late', 2, 0])
  })

  it('works without storage', async () => {
    const server = new FakeServer(3)
    const session = openSession(server, { storage: null })
    await settle()
    session.answer('yes')
    await settle()
    expect(server.ledger).toHaveLength(1)
  })

  it('tells "nothing now" from "nothing more"', async () => {
    const server = new FakeServer(1)
    const session = openSession(server)
    await settle()
    session.answer('yes')
    await settle()
    expect(session.view).toBe('idle')
    server.pool = ['late']
    await vi.advanceTimersByTimeAsync(10_000)
    expect(session.current?.item).toBe('late')
    session.answer('yes')
    server.phase = 'closed'
    await settle()
    expect(session.view).toBe('ended')
    expect(session.labels).toBe(2)
  })

  it('polls less and less often while there is nothing to do', async () => {
    const server = new FakeServer(0)
    openSession(server)
    await vi.advanceTimersByTimeAsync(600_000)
    const asked = server.requests.filter((request) => request === 'POST assignments').length
    expect(asked).toBeGreaterThan(15)
    expect(asked).toBeLessThan(40)
  })

  it('stops when the token is revoked, and keeps unsent answers', async () => {
    const server = new FakeServer(5)
    const session = openSession(server)
    await settle()
    server.refuseToken = true
    session.answer('yes')
    await settle()
    expect([session.view, session.refusal]).toEqual(['refused', 'bad_token'])
    expect(unsentNames()).toHaveLength(1)
  })

  it('drops an item that another tab has answered', async () => {
    const server = new FakeServer(9)
    const newTab = fakeTabs()
    const first = openSession(server, { tabs: newTab() })
    await settle()
    const second = openSession(server, { tabs: newTab() })
    await settle()
    expect(second.current?.item).toBe(first.current?.item)
    first.answer('yes')
    expect(second.current?.item).not.toBe('i0')
    expect(second.notice).toBe('otherTab')
    second.answer('no')
    await settle()
    expect(server.ledger).toHaveLength(2)
    expect(new Set(server.ledger.map(({ item }) => item)).size).toBe(2)
    expect(first.current?.item).not.toBe('i1')
  })
})
