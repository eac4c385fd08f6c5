// The desk against a server of a few lines, whose connection can be cut before or after a request.
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Client } from '../api/client.ts'
import { Desk, type Tabs } from './desk.svelte.ts'

const kCampaign = 'c1'

interface Lease {
  item: string
  expires: number
}

/** What the API does for one worker, counted once a key. */
class FakeServer {
  pool: string[]
  leases: Lease[] = []
  labels = new Map<string, string>()
  /** Every label in the order it was counted. */
  ledger: { item: string; label: string; revised: boolean }[] = []
  skipped: string[] = []
  phase = 'running'
  lease = 600_000
  /** Cuts the connection: before the request arrives, or before the answer does. */
  cut: 'none' | 'before' | 'after' = 'none'
  refuseToken = false
  requests: string[] = []
  private readonly answers = new Map<string, { body: string; answer: Response }>()

  constructor(items: number) {
    this.pool = Array.from({ length: items }, (_, n) => `i${n}`)
  }

  fetch: typeof fetch = async (input, init) => {
    await Promise.resolve()
    const address = String(input)
    if (this.cut === 'before') throw new TypeError('cut')
    this.requests.push(`${init?.method} ${address.split('/').pop()}`)
    const key = (init?.headers as Record<string, string>)['Idempotency-Key']
    const body = String(init?.body ?? '')
    const known = key === undefined ? undefined : this.answers.get(key)
    let answer: Response
    if (known) {
      answer = known.body === body ? known.answer : problem(422, 'key_reused')
    } else {
      answer = this.serve(init?.method ?? 'GET', address, JSON.parse(body || '{}') as Body)
      if (key !== undefined && answer.status < 500) this.answers.set(key, { body, answer })
    }
    if (this.cut === 'after') throw new TypeError('cut')
    return answer.clone()
  }

  private serve(method: string, address: string, body: Body): Response {
    if (this.refuseToken) return problem(401, 'bad_token')
    const what = address.split('/').pop()
    this.leases = this.leases.filter((one) => one.expires > Date.now())
    if (what === 'me') {
      const campaign = {
        id: kCampaign,
        name: 'C',
        classes: ['no', 'yes'],
        labels: this.labels.size,
        at_hand: 0,
        phase: this.phase,
        earned: this.labels.size * 0.1,
      }
      return json({ role: 'worker', label: '', worker: 'ann', campaign })
    }
    if (what === 'assignments') {
      if (method === 'GET') return json({ assignments: this.leases.map(shown), shortfall: null })
      return json(this.hand(body.count ?? 1))
    }
    const held = this.leases.some((one) => one.item === body.item)
    if (what === 'labels' && body.revise) {
      if (!this.labels.has(body.item) || this.phase === 'closed') return problem(403, 'forbidden')
      this.labels.set(body.item, body.label)
      this.ledger.push({ item: body.item, label: body.label, revised: true })
      return json({ labels: [{ item: body.item, outcome: 'revised' }], next: null })
    }
    if (what === 'labels' && this.labels.has(body.item)) return problem(409, 'conflict')
    if (!held) return problem(403, 'forbidden')
    this.leases = this.leases.filter((one) => one.item !== body.item)
    if (what === 'skip') {
      this.skipped.push(body.item)
      return json({ item: body.item, next: this.hand(body.next ?? 0) })
    }
    this.labels.set(body.item, body.label)
    this.ledger.push({ item: body.item, label: body.label, revised: false })
    return json({ labels: [{ item: body.item, outcome: 'recorded' }], next: this.hand(body.next ?? 0) })
  }

  private hand(count: number) {
    const given = this.phase === 'running' ? this.pool.splice(0, count) : []
    const fresh = given.map((item) => ({ item, expires: Date.now() + this.lease }))
    this.leases.push(...fresh)
    const shortfall = given.length < count ? { code: 'nothing_now', detail: '' } : null
    return { assignments: fresh.map(shown), shortfall }
  }
}

interface Body {
  item: string
  label: string
  revise?: boolean
  next?: number
  count?: number
}

const shown = (one: Lease) => ({
  item: one.item,
  fields: { text: one.item },
  price: 0.1,
  expires: new Date(one.expires).toISOString(),
})
const json = (body: unknown) =>
  new Response(JSON.stringify(body), { headers: { 'Content-Type': 'application/json' } })
const problem = (status: number, code: string) =>
  new Response(JSON.stringify({ code, detail: code }), {
    status,
    headers: { 'Content-Type': 'application/problem+json' },
  })

/** Tabs of one browser: what one says, the others hear. */
function browserTabs(): () => Tabs {
  const open = new Map<object, (message: unknown) => void>()
  return () => {
    const tab = {}
    return {
      say: (message) => {
        for (const [other, heard] of open) if (other !== tab) heard(message)
      },
      listen: (heard) => open.set(tab, heard),
      close: () => open.delete(tab),
    }
  }
}

let keys = 0
const desks: Desk[] = []
/** With `alive` of its page: what a page that is gone asked for, nobody hears of. */
function deskOf(server: FakeServer, tabs: Tabs | null = null, alive = { now: true }) {
  const never = new Promise<Response>(() => undefined)
  const client = new Client('allot_a_b', async (address, init) => {
    if (!alive.now) return never
    const answer = await server.fetch(address, init)
    return alive.now ? answer : never
  })
  const around = { storage: localStorage, tabs, newKey: () => `key${++keys}` }
  const desk = new Desk(client, kCampaign, around, 'box')
  desks.push(desk)
  desk.start()
  return desk
}

/** Answers that the browser keeps. */
const kept = () => Object.keys(localStorage).filter((name) => name.startsWith('allot.out.'))

/** Lets everything that is under way come to its end, without time going by. */
const settle = () => vi.advanceTimersByTimeAsync(0)

beforeEach(() => {
  vi.useFakeTimers({ now: new Date('2026-01-01T12:00:00Z') })
  localStorage.clear()
})
afterEach(() => {
  for (const one of desks.splice(0)) one.stop()
  vi.useRealTimers()
})

describe('Desk', () => {
  it('has items ahead, and the next one at once', async () => {
    const server = new FakeServer(10)
    const desk = deskOf(server)
    expect(desk.view).toBe('loading')
    await settle()
    expect(desk.view).toBe('work')
    expect(desk.items).toHaveLength(3)
    desk.answer('yes')
    // Before anything was sent.
    expect(desk.current?.item).toBe('i1')
    expect(desk.labels).toBe(1)
    await settle()
    expect(server.ledger).toEqual([{ item: 'i0', label: 'yes', revised: false }])
    expect(desk.items.map((one) => one.item)).toEqual(['i1', 'i2', 'i3'])
    expect(desk.waiting).toBe(0)
    expect([desk.labels, desk.earned]).toEqual([1, 0.1])
  })

  it('goes on without a connection and sends every answer once, in order', async () => {
    for (const cut of ['before', 'after'] as const) {
      localStorage.clear()
      const server = new FakeServer(10)
      const desk = deskOf(server)
      await settle()
      server.cut = cut
      desk.answer('yes')
      desk.answer('no')
      await vi.advanceTimersByTimeAsync(5_000)
      desk.answer('yes')
      await vi.advanceTimersByTimeAsync(20_000)
      expect(desk.connected).toBe(false)
      expect(desk.waiting).toBe(3)
      expect(desk.labels).toBe(3)
      expect(desk.view).toBe('loading')
      server.cut = 'none'
      desk.wake()
      await settle()
      await settle()
      expect(desk.connected).toBe(true)
      expect(server.ledger.map((one) => one.item + one.label)).toEqual(['i0yes', 'i1no', 'i2yes'])
      expect(desk.view).toBe('work')
      expect([desk.waiting, desk.labels]).toEqual([0, 3])
    }
  })

  it('comes back by itself when the server does', async () => {
    const server = new FakeServer(5)
    const desk = deskOf(server)
    await settle()
    server.cut = 'before'
    desk.answer('yes')
    await vi.advanceTimersByTimeAsync(60_000)
    server.cut = 'none'
    await vi.advanceTimersByTimeAsync(20_000)
    expect(server.ledger).toHaveLength(1)
    expect(desk.connected).toBe(true)
  })

  it('sends after a reload what was not known to have arrived, and counts it once', async () => {
    for (const cut of ['before', 'after'] as const) {
      localStorage.clear()
      const server = new FakeServer(10)
      const first = deskOf(server)
      await settle()
      server.cut = cut
      first.answer('yes')
      await settle()
      first.stop()
      server.cut = 'none'
      const second = deskOf(server)
      await settle()
      await settle()
      expect(server.ledger).toEqual([{ item: 'i0', label: 'yes', revised: false }])
      expect(second.labels).toBe(1)
      expect(second.items.map((one) => one.item)).not.toContain('i0')
      expect(second.current?.item).toBe('i1')
      expect(kept()).toHaveLength(0)
    }
  })

  it('does not lease twice when the answer to a question is lost', async () => {
    const server = new FakeServer(10)
    const desk = deskOf(server)
    server.cut = 'none'
    await settle()
    for (const label of ['yes', 'yes', 'yes']) desk.answer(label)
    server.cut = 'after'
    await settle()
    server.cut = 'none'
    await vi.advanceTimersByTimeAsync(3_000)
    expect(server.leases.map((one) => one.item).sort()).toEqual(desk.items.map((one) => one.item).sort())
  })

  it('takes back an answer that has not left', async () => {
    const server = new FakeServer(5)
    const desk = deskOf(server)
    await settle()
    server.cut = 'before'
    desk.answer('no')
    desk.answer('no')
    await settle()
    desk.undo()
    // The second has to wait for the first, so it was never sent.
    expect(desk.revising).toBeNull()
    expect(desk.current?.item).toBe('i1')
    expect(desk.labels).toBe(1)
    server.cut = 'none'
    desk.answer('yes')
    desk.wake()
    await settle()
    expect(server.ledger.map((one) => one.item + one.label)).toEqual(['i0no', 'i1yes'])
  })

  it('changes an answer that has arrived', async () => {
    const server = new FakeServer(5)
    const desk = deskOf(server)
    await settle()
    desk.answer('no')
    await settle()
    desk.undo()
    expect([desk.revising, desk.current?.item]).toEqual(['no', 'i0'])
    desk.answer('yes')
    await settle()
    expect(server.labels.get('i0')).toBe('yes')
    expect(desk.current?.item).toBe('i1')
    expect(desk.labels).toBe(1)
    // Changed again, and kept.
    desk.undo()
    expect(desk.revising).toBe('yes')
    desk.skip()
    desk.undo()
    desk.answer('yes')
    await settle()
    expect(server.ledger).toHaveLength(2)
    expect(server.skipped).toEqual([])
  })

  it('changes an answer that is on its way, after it', async () => {
    const server = new FakeServer(5)
    const desk = deskOf(server)
    await settle()
    desk.answer('no')
    desk.undo()
    desk.answer('yes')
    await settle()
    expect(server.ledger.map((one) => one.label + one.revised)).toEqual(['nofalse', 'yestrue'])
  })

  it('says when it is too late to undo', async () => {
    const server = new FakeServer(5)
    const desk = deskOf(server)
    await settle()
    desk.undo()
    expect(desk.notice).toBe('noUndo')
    desk.answer('no')
    await vi.advanceTimersByTimeAsync(600_001)
    expect(desk.canUndo).toBe(false)
    desk.undo()
    expect(desk.revising).toBeNull()
  })

  it('skips', async () => {
    const server = new FakeServer(5)
    const desk = deskOf(server)
    await settle()
    desk.skip()
    await settle()
    expect(server.skipped).toEqual(['i0'])
    expect([desk.current?.item, desk.labels]).toEqual(['i1', 0])
  })

  it('throws away an item whose lease is over, and says so', async () => {
    const server = new FakeServer(8)
    server.lease = 30_000
    const desk = deskOf(server)
    await settle()
    await vi.advanceTimersByTimeAsync(20_000)
    expect(desk.secondsLeft).toBeGreaterThan(0)
    // Asleep: no beat in between.
    vi.setSystemTime(Date.now() + 3_600_000)
    desk.wake()
    await settle()
    expect(desk.notice).toBe('leaseOver')
    expect(desk.items.map((one) => one.item)).toEqual(['i3', 'i4', 'i5'])
  })

  it('tells of an answer that came too late', async () => {
    const server = new FakeServer(8)
    const desk = deskOf(server)
    await settle()
    server.leases = []
    desk.answer('yes')
    await settle()
    expect(desk.notice).toBe('late')
    expect([desk.labels, desk.waiting]).toEqual([0, 0])
    expect(desk.view).toBe('work')
  })

  it('says why an answer did not count', async () => {
    const notice = async (happens: (server: FakeServer, desk: Desk) => void) => {
      localStorage.clear()
      const server = new FakeServer(8)
      const desk = deskOf(server)
      await settle()
      happens(server, desk)
      await settle()
      return desk.notice
    }
    const closes = (server: FakeServer) => {
      server.phase = 'closed'
      server.leases = []
    }
    expect(
      await notice((server, desk) => {
        closes(server)
        desk.answer('yes')
      }),
    ).toBe('closed')
    expect(
      await notice((server, desk) => {
        server.phase = 'paused'
        server.leases = []
        desk.answer('yes')
      }),
    ).toBe('latePaused')
    // Answered elsewhere in another way, such as by another device.
    expect(
      await notice((server, desk) => {
        server.leases = []
        server.labels.set('i0', 'no')
        desk.answer('yes')
      }),
    ).toBe('before')
    expect(
      await notice((server, desk) => {
        desk.answer('no')
        desk.undo()
        desk.answer('yes')
        closes(server)
      }),
    ).toBe('closed')
  })

  it('says that a campaign was closed before an answer was changed', async () => {
    const server = new FakeServer(8)
    const desk = deskOf(server)
    await settle()
    desk.answer('no')
    await settle()
    desk.undo()
    server.phase = 'closed'
    desk.answer('yes')
    await settle()
    expect(desk.notice).toBe('closedChange')
    expect(server.ledger.map((one) => one.label)).toEqual(['no'])
  })

  it('undoes after a reload, until the lease is over', async () => {
    const server = new FakeServer(8)
    const before = deskOf(server)
    await settle()
    before.answer('no')
    await settle()
    before.stop()
    const desk = deskOf(server)
    await settle()
    expect(desk.canUndo).toBe(true)
    desk.undo()
    expect([desk.current?.item, desk.revising]).toEqual(['i0', 'no'])
    desk.answer('yes')
    await settle()
    expect(server.ledger.map((one) => one.label + one.revised)).toEqual(['nofalse', 'yestrue'])
    desk.stop()
    vi.setSystemTime(Date.now() + 600_001)
    const late = deskOf(server)
    await settle()
    expect(late.canUndo).toBe(false)
    expect(Object.keys(localStorage)).toEqual([])
  })

  it('takes nothing for never given after a reload that may have been sent before', async () => {
    const server = new FakeServer(8)
    const before = deskOf(server)
    await settle()
    server.cut = 'after'
    before.answer('no')
    await settle()
    before.stop()
    const desk = deskOf(server)
    desk.undo()
    expect(desk.revising).toBe('no')
    desk.answer('yes')
    server.cut = 'none'
    await vi.advanceTimersByTimeAsync(30_000)
    expect(server.labels.get('i0')).toBe('yes')
    expect(server.ledger.map((one) => one.label + one.revised)).toEqual(['nofalse', 'yestrue'])
  })

  it('knows nothing now from nothing more', async () => {
    const server = new FakeServer(1)
    const desk = deskOf(server)
    await settle()
    desk.answer('yes')
    await settle()
    expect(desk.view).toBe('idle')
    server.pool = ['late']
    await vi.advanceTimersByTimeAsync(10_000)
    expect(desk.current?.item).toBe('late')
    desk.answer('yes')
    server.phase = 'closed'
    await settle()
    expect(desk.view).toBe('ended')
    expect(desk.labels).toBe(2)
  })

  it('asks less and less often while there is nothing', async () => {
    const server = new FakeServer(0)
    deskOf(server)
    await vi.advanceTimersByTimeAsync(600_000)
    const asked = server.requests.filter((one) => one === 'POST assignments').length
    expect(asked).toBeGreaterThan(15)
    expect(asked).toBeLessThan(40)
  })

  it('stops for a token that is no longer good, and keeps what was not sent', async () => {
    const server = new FakeServer(5)
    const desk = deskOf(server)
    await settle()
    server.refuseToken = true
    desk.answer('yes')
    await settle()
    expect([desk.view, desk.refusal]).toEqual(['refused', 'bad_token'])
    expect(kept()).toHaveLength(1)
  })

  it('drops in one tab what was answered in another', async () => {
    const server = new FakeServer(9)
    const tab = browserTabs()
    const one = deskOf(server, tab())
    await settle()
    const two = deskOf(server, tab())
    await settle()
    expect(two.current?.item).toBe(one.current?.item)
    one.answer('yes')
    expect(two.current?.item).not.toBe('i0')
    expect(two.notice).toBe('elsewhere')
    two.answer('no')
    await settle()
    expect(server.ledger).toHaveLength(2)
    expect(new Set(server.ledger.map((entry) => entry.item)).size).toBe(2)
    expect(one.current?.item).not.toBe('i1')
  })

  it('loses nothing and counts nothing twice, whatever happens', async () => {
    const deeds = ['yes', 'no', 'skip', 'undo', 'before', 'after', 'mend', 'wait', 'reload'] as const
    const act = fc.record({ deed: fc.constantFrom(...deeds), tab: fc.nat(1), settles: fc.boolean() })
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 40 }), async (acts) => {
        localStorage.clear()
        const server = new FakeServer(200)
        server.lease = 1e9
        const tab = browserTabs()
        const open = () => {
          const alive = { now: true }
          return { alive, desk: deskOf(server, tab(), alive) }
        }
        const pages = [open(), open()]
        const meant = new Map<string, string>()
        const skipped = new Set<string>()
        await settle()
        for (const { deed, tab: n, settles } of acts) {
          const { desk, alive } = pages[n] as (typeof pages)[number]
          const item = desk.view === 'work' ? desk.current?.item : undefined
          if (deed === 'before' || deed === 'after') server.cut = deed
          else if (deed === 'mend') server.cut = 'none'
          else if (deed === 'wait') await vi.advanceTimersByTimeAsync(2_000)
          else if (deed === 'reload') {
            alive.now = false
            desk.stop()
            pages[n] = open()
          } else if (deed === 'undo') {
            const last = desk.last
            desk.undo()
            // What had not left is as if it had never been said.
            if (last && desk.current === last.item && desk.revising === null) meant.delete(last.item.item)
          } else if (item !== undefined) {
            if (deed === 'skip') {
              if (desk.revising === null) skipped.add(item)
              desk.skip()
            } else {
              meant.set(item, deed)
              desk.answer(deed)
            }
          }
          if (settles) await settle()
        }
        server.cut = 'none'
        await vi.advanceTimersByTimeAsync(60_000)
        expect(server.labels).toEqual(meant)
        expect(new Set(server.skipped)).toEqual(skipped)
        const first = server.ledger.filter((one) => !one.revised).map((one) => one.item)
        expect(new Set(first).size).toBe(first.length)
        expect(kept()).toHaveLength(0)
        for (const { desk } of pages) {
          expect([desk.waiting, desk.connected, desk.view]).toEqual([0, true, 'work'])
          desk.stop()
        }
      }),
      { numRuns: 200 },
    )
  })

  it('works without storage', async () => {
    const server = new FakeServer(3)
    const desk = new Desk(
      new Client('allot_a_b', server.fetch),
      kCampaign,
      { storage: null, tabs: null, newKey: () => `key${++keys}` },
      'box',
    )
    desks.push(desk)
    desk.start()
    await settle()
    desk.answer('yes')
    await settle()
    expect(server.ledger).toHaveLength(1)
  })
})
