// Notices for answers and items that were lost.
import { describe, expect, it, vi } from 'vitest'
import type { LabelSession } from './label_session.svelte.ts'
import { openSession, settle, useFakeBrowser } from './testing/fake_browser.ts'
import { FakeServer } from './testing/fake_server.ts'

useFakeBrowser()

describe('LabelSession', () => {
  it('drops an item whose lease is over, and reports it', async () => {
    const server = new FakeServer(8)
    server.lease = 30_000
    const session = openSession(server)
    await settle()
    await vi.advanceTimersByTimeAsync(20_000)
    expect(session.secondsLeft).toBeGreaterThan(0)
    // The machine sleeps: no tick in between.
    vi.setSystemTime(Date.now() + 3_600_000)
    session.wake()
    await settle()
    expect(session.notice).toBe('timeout')
    expect(session.items.map(({ item }) => item)).toEqual(['i3', 'i4', 'i5'])
  })

  it('reports an answer that came too late', async () => {
    const server = new FakeServer(8)
    const session = openSession(server)
    await settle()
    server.leases = []
    session.answer('yes')
    await settle()
    expect(session.notice).toBe('late')
    expect([session.labels, session.waiting]).toEqual([0, 0])
    expect(session.view).toBe('work')
  })

  it('reports that the campaign ended before an answer was changed', async () => {
    const server = new FakeServer(8)
    const session = openSession(server)
    await settle()
    session.answer('no')
    await settle()
    session.undo()
    server.phase = 'closed'
    session.answer('yes')
    await settle()
    expect(session.notice).toBe('endedChange')
    expect(server.ledger.map(({ label }) => label)).toEqual(['no'])
  })

  describe('reports why an answer did not count', () => {
    const noticeAfter = async (happen: (server: FakeServer, session: LabelSession) => void) => {
      const server = new FakeServer(8)
      const session = openSession(server)
      await settle()
      happen(server, session)
      await settle()
      return session.notice
    }
    const end = (server: FakeServer) => {
      server.phase = 'closed'
      server.leases = []
    }

    it('the campaign ended', async () => {
      const notice = await noticeAfter((server, session) => {
        end(server)
        session.answer('yes')
      })
      expect(notice).toBe('ended')
    })

    it('the campaign is paused and the lease is over', async () => {
      const notice = await noticeAfter((server, session) => {
        server.phase = 'paused'
        server.leases = []
        session.answer('yes')
      })
      expect(notice).toBe('latePaused')
    })

    it('another device gave a different answer', async () => {
      const notice = await noticeAfter((server, session) => {
        server.leases = []
        server.labels.set('i0', 'no')
        session.answer('yes')
      })
      expect(notice).toBe('repeated')
    })

    it('the campaign ended before the answer and its change arrived', async () => {
      const notice = await noticeAfter((server, session) => {
        session.answer('no')
        session.undo()
        session.answer('yes')
        end(server)
      })
      expect(notice).toBe('ended')
    })
  })
})
