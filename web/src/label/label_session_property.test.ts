// Any sequence of actions in two tabs, over a connection that fails.
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { fakeTabs, openSession, settle, unsentNames, useFakeBrowser } from './testing/fake_browser.ts'
import { FakeServer } from './testing/fake_server.ts'

useFakeBrowser()

describe('LabelSession', () => {
  it('loses nothing and counts nothing twice, whatever happens', async () => {
    const actions = ['yes', 'no', 'skip', 'undo', 'before', 'after', 'mend', 'wait', 'reload'] as const
    const step = fc.record({ action: fc.constantFrom(...actions), tab: fc.nat(1), waits: fc.boolean() })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        localStorage.clear()
        const server = new FakeServer(200)
        server.lease = 1e9
        const newTab = fakeTabs()
        const open = () => {
          const page = { open: true }
          return { page, session: openSession(server, { tabs: newTab(), page }) }
        }
        const pages = [open(), open()]
        const expected = new Map<string, string>()
        const skipped = new Set<string>()
        await settle()
        for (const { action, tab: n, waits } of steps) {
          const { session, page } = pages[n] as (typeof pages)[number]
          const item = session.view === 'work' ? session.current?.item : undefined
          if (action === 'before' || action === 'after') server.cut = action
          else if (action === 'mend') server.cut = 'none'
          else if (action === 'wait') await vi.advanceTimersByTimeAsync(2_000)
          else if (action === 'reload') {
            page.open = false
            session.stop()
            pages[n] = open()
          } else if (action === 'undo') {
            const last = session.last
            session.undo()
            // An answer that was never sent is dropped.
            if (last && session.current === last.item && session.revising === null) expected.delete(last.item.item)
          } else if (item !== undefined) {
            if (action === 'skip') {
              if (session.revising === null) skipped.add(item)
              session.skip()
            } else {
              expected.set(item, action)
              session.answer(action)
            }
          }
          if (waits) await settle()
        }
        server.cut = 'none'
        await vi.advanceTimersByTimeAsync(60_000)
        expect(server.labels).toEqual(expected)
        expect(new Set(server.skipped)).toEqual(skipped)
        const first = server.ledger.filter(({ revised }) => !revised).map(({ item }) => item)
        expect(new Set(first).size).toBe(first.length)
        expect(unsentNames()).toHaveLength(0)
        for (const { session } of pages) {
          expect([session.waiting, session.connected, session.view]).toEqual([0, true, 'work'])
          session.stop()
        }
      }),
      { numRuns: 200 },
    )
  })
})
