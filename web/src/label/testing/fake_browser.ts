// Sessions, tabs and a clock for tests of the worker's page.
import { afterEach, beforeEach, vi } from 'vitest'
import { Client } from '../../api/client.ts'
import { LabelSession, type Tabs } from '../label_session.svelte.ts'
import { type FakeServer, kCampaign } from './fake_server.ts'

/** Opens tabs of one browser: a message from one reaches the others. */
export function fakeTabs(): () => Tabs {
  const open = new Map<object, (message: unknown) => void>()
  return () => {
    const tab = {}
    return {
      send: (message) => {
        for (const [other, receive] of open) if (other !== tab) receive(message)
      },
      listen: (receive) => open.set(tab, receive),
      close: () => open.delete(tab),
    }
  }
}

interface SessionOptions {
  tabs?: Tabs
  /** The page of the session; once it is not open, replies to its requests get lost. */
  page?: { open: boolean }
  storage?: Storage | null
}

let keys = 0
const sessions: LabelSession[] = []

export function openSession(server: FakeServer, options: SessionOptions = {}): LabelSession {
  const { tabs = null, page = { open: true }, storage = localStorage } = options
  const never = new Promise<Response>(() => undefined)
  const client = new Client('allot_a_b', async (address, init) => {
    if (!page.open) return never
    const reply = await server.fetch(address, init)
    return page.open ? reply : never
  })
  const session = new LabelSession(client, kCampaign, { storage, tabs, newKey: () => `key${++keys}` }, 'box')
  sessions.push(session)
  session.start()
  return session
}

/** Names of the unsent answers in the browser's storage. */
export const unsentNames = () => Object.keys(localStorage).filter((name) => name.startsWith('allot.out.'))

/** Waits for everything that is under way; the clock stands still. */
export const settle = () => vi.advanceTimersByTimeAsync(0)

/** Gives every test of a file a clock that stands still and an empty storage. */
export function useFakeBrowser() {
  beforeEach(() => {
    vi.useFakeTimers({ now: new Date('2026-01-01T12:00:00Z') })
    localStorage.clear()
  })
  afterEach(() => {
    for (const session of sessions.splice(0)) session.stop()
    vi.useRealTimers()
  })
}
