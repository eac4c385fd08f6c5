// Answers that a worker changes.
import { describe, expect, it, vi } from 'vitest'
import { openSession, settle, useFakeBrowser } from './testing/fake_browser.ts'
import { FakeServer } from './testing/fake_server.ts'

useFakeBrowser()

describe('LabelSession', () => {
  it('drops an answer that was not sent yet', async () => {
    const server = new FakeServer(5)
    const session = openSession(server)
    await settle()
    server.cut = 'before'
    session.answer('no')
    session.answer('no')
    await settle()
    session.undo()
    // The second answer waits for the first, so it was never sent.
    expect(session.revising).toBeNull()
    expect(session.current?.item).toBe('i1')
    expect(session.labels).toBe(1)
    server.cut = 'none'
    session.answer('yes')
    session.wake()
    await settle()
    expect(server.ledger.map(({ item, label }) => item + label)).toEqual(['i0no', 'i1yes'])
  })

  it('changes an answer that has arrived', async () => {
    const server = new FakeServer(5)
    const session = openSession(server)
    await settle()
    session.answer('no')
    await settle()
    session.undo()
    expect([session.revising, session.current?.item]).toEqual(['no', 'i0'])
    session.answer('yes')
    await settle()
    expect(server.labels.get('i0')).toBe('yes')
    expect(session.current?.item).toBe('i1')
    expect(session.labels).toBe(1)
    // Changed again, and kept.
    session.undo()
    expect(session.revising).toBe('yes')
    session.skip()
    session.undo()
    session.answer('yes')
    await settle()
    expect(server.ledger).toHaveLength(2)
    expect(server.skipped).toEqual([])
  })

  it('sends a change after the answer that is still on its way', async () => {
    const server = new FakeServer(5)
    const session = openSession(server)
    await settle()
    session.answer('no')
    session.undo()
    session.answer('yes')
    await settle()
    expect(server.ledger.map(({ label, revised }) => label + revised)).toEqual(['nofalse', 'yestrue'])
  })

  it('reports when it is too late to undo', async () => {
    const server = new FakeServer(5)
    const session = openSession(server)
    await settle()
    session.undo()
    expect(session.notice).toBe('noUndo')
    session.answer('no')
    await vi.advanceTimersByTimeAsync(600_001)
    expect(session.canUndo).toBe(false)
    session.undo()
    expect(session.revising).toBeNull()
  })

  it('undoes after a reload, until the lease is over', async () => {
    const server = new FakeServer(8)
    const before = openSession(server)
    await settle()
    before.answer('no')
    await settle()
    before.stop()
    const session = openSession(server)
    await settle()
    expect(session.canUndo).toBe(true)
    session.undo()
    expect([session.current?.item, session.revising]).toEqual(['i0', 'no'])
    session.answer('yes')
    await settle()
    expect(server.ledger.map(({ label, revised }) => label + revised)).toEqual(['nofalse', 'yestrue'])
    session.stop()
    vi.setSystemTime(Date.now() + 600_001)
    const late = openSession(server)
    await settle()
    expect(late.canUndo).toBe(false)
    expect(Object.keys(localStorage)).toEqual([])
  })

  it('after a reload, changes an answer that may have been sent instead of dropping it', async () => {
    const server = new FakeServer(8)
    const before = openSession(server)
    await settle()
    server.cut = 'after'
    before.answer('no')
    await settle()
    before.stop()
    const session = openSession(server)
    session.undo()
    expect(session.revising).toBe('no')
    session.answer('yes')
    server.cut = 'none'
    await vi.advanceTimersByTimeAsync(30_000)
    expect(server.labels.get('i0')).toBe('yes')
    expect(server.ledger.map(({ label, revised }) => label + revised)).toEqual(['nofalse', 'yestrue'])
  })
})
