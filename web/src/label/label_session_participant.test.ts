// The session of a participant: a countdown, a qualification with feedback, and an end.
import { describe, expect, it, vi } from 'vitest'
import { openSession, settle, useFakeBrowser } from './testing/fake_browser.ts'
import { FakeServer } from './testing/fake_server.ts'

useFakeBrowser()

async function begin(of: number, qualification: { tried: number; of: number; feedback: boolean } | null = null, items = 10) {
  const server = new FakeServer(items)
  server.progress = { labels: 0, of, skipped: 0, qualification, end: null }
  const session = openSession(server)
  await settle()
  return { server, session }
}

describe('LabelSession of a participant', () => {
  it('counts down, and ends with the last label', async () => {
    const { server, session } = await begin(2)
    expect(session.left).toBe(2)
    session.answer('yes')
    expect(session.left, 'before the server has replied').toBe(1)
    await settle()
    expect([session.view, session.left]).toEqual(['work', 1])
    session.answer('no')
    await settle()
    expect(session.view).toBe('finished')
    expect(session.progress?.end?.code).toBe('C1')
    const requests = server.requests.length
    await vi.advanceTimersByTimeAsync(120_000)
    expect(server.requests.length, 'nothing is asked after the end').toBe(requests)
  })

  it('shows the result of a test before the next item', async () => {
    const { session } = await begin(1, { tried: 0, of: 2, feedback: true })
    const first = session.current?.item
    session.answer('yes')
    expect(session.view).toBe('checking')
    await settle()
    expect(session.view).toBe('feedback')
    expect(session.feedback).toMatchObject({ label: 'yes', right: true, answer: 'yes' })
    expect(session.feedback?.item.item).toBe(first)
    expect(session.canUndo, 'who has seen the answer cannot change theirs').toBe(false)
    session.continue()
    expect([session.view, session.current?.item === first]).toEqual(['work', false])
    session.answer('yes')
    await settle()
    session.continue()
    await settle()
    expect(session.progress?.qualification).toBeNull()
    expect([session.view, session.left]).toEqual(['work', 1])
  })

  it('shows the last result before it says that the qualification is failed', async () => {
    const { session } = await begin(1, { tried: 0, of: 2, feedback: true })
    session.answer('no')
    await settle()
    expect(session.feedback).toMatchObject({ right: false, answer: 'yes' })
    session.continue()
    expect(session.view).toBe('finished')
    expect(session.progress?.end?.outcome).toBe('screened-out')
  })

  it('waits for the result without a connection', async () => {
    const { server, session } = await begin(1, { tried: 0, of: 1, feedback: true })
    server.cut = 'before'
    session.answer('yes')
    await vi.advanceTimersByTimeAsync(3_000)
    expect([session.view, session.connected]).toEqual(['checking', false])
    server.cut = 'none'
    await vi.advanceTimersByTimeAsync(20_000)
    expect(session.view).toBe('feedback')
  })

  it('ends where there is nothing to do, and after a reload', async () => {
    const { server, session } = await begin(5, null, 0)
    expect(session.view).toBe('finished')
    expect(session.progress?.end?.outcome).toBe('no-work')
    const again = openSession(server)
    await settle()
    expect(again.view).toBe('finished')
  })
})
