import { afterEach, describe, expect, it } from 'vitest'
import { Client } from '../api/client.ts'
import type { RecruitingLink } from '../api/recruiting_types.ts'
import type { Campaign, ItemReport, ItemRow } from '../api/report_types.ts'
import { LabelSession } from '../label/label_session.svelte.ts'
import { type Play, prepare, Rehearsal } from './rehearsal.ts'

const campaign = {
  id: 'c1',
  name: 'Reviews',
  options: { classes: ['no', 'yes'] },
  page: { question: 'Good?', fields: { text: 'text', note: 'hidden' } },
} as unknown as Campaign

const linkOf = (labels: number, tests = 0, feedback = false) =>
  ({
    id: 'l1',
    terms: {
      labels,
      codes: { done: 'D', screened_out: 'S', no_work: 'N', incomplete: 'I' },
      qualification: { items: tests, least_right: 0.5, feedback },
    },
  }) as unknown as RecruitingLink

const row = (item: string, gold: string | null = null) => ({ item, gold, settled: null }) as unknown as ItemRow
const report = (item: string) => ({ item, fields: { text: `T ${item}`, note: 'secret' }, price: '0.05' }) as unknown as ItemReport

function play(labels: number, tests: number, items: number, feedback = false): Play {
  return {
    campaign,
    link: linkOf(labels, tests, feedback),
    items: [
      ...Array.from({ length: tests }, (_, n) => row(`g${n}`, 'yes')),
      ...Array.from({ length: items }, (_, n) => row(`i${n}`)),
    ],
    read: async (item) => report(item),
  }
}

const sessions: LabelSession[] = []
afterEach(() => {
  for (const session of sessions.splice(0)) session.stop()
})
const settle = async () => {
  for (let n = 0; n < 50; ++n) await Promise.resolve()
  await new Promise((resolve) => setTimeout(resolve, 0))
}

let keys = 0
async function open(what: Play) {
  const client = new Client('', new Rehearsal(what).fetch)
  const environment = { storage: null, tabs: null, newKey: () => `k${++keys}` }
  const session = new LabelSession(client, 'c1', environment, 'box')
  sessions.push(session)
  session.start()
  await settle()
  return session
}

describe('Rehearsal', () => {
  it('plays a session to its code, with the fields that workers see', async () => {
    const session = await open(play(3, 0, 5))
    expect(session.current?.fields).toEqual({ text: 'T i0' })
    expect(session.left).toBe(3)
    const seen = []
    for (let n = 0; n < 3; ++n) {
      seen.push(session.current?.item)
      session.answer('yes')
      await settle()
    }
    expect(seen).toEqual(['i0', 'i1', 'i2'])
    expect([session.view, session.progress?.end?.code, session.earned]).toEqual(['finished', 'D', 0.15])
    expect(session.progress?.end?.return_url).toBeNull()
  })

  it('ends incomplete when the rest was skipped, and takes skips and changes', async () => {
    const session = await open(play(9, 0, 3))
    session.answer('yes')
    await settle()
    session.undo()
    session.answer('no')
    await settle()
    session.skip('unclear', 'a note')
    await settle()
    session.answer('no')
    await settle()
    expect([session.view, session.progress?.end?.outcome, session.progress?.labels]).toEqual(['finished', 'incomplete', 2])
  })

  it('qualifies first, with feedback if the link gives it', async () => {
    const session = await open(play(2, 2, 4, true))
    expect(session.progress?.qualification).toEqual({ tried: 0, of: 2, feedback: true })
    expect(session.current?.item).toBe('g0')
    session.answer('no')
    await settle()
    expect([session.view, session.feedback?.right, session.feedback?.answer]).toEqual(['feedback', false, 'yes'])
    session.continue()
    await settle()
    session.answer('yes')
    await settle()
    session.continue()
    await settle()
    expect([session.progress?.qualification, session.current?.item]).toEqual([null, 'i0'])
  })

  it('screens out who fails', async () => {
    const session = await open(play(2, 1, 4))
    session.answer('no')
    await settle()
    expect(session.progress?.end).toMatchObject({ outcome: 'screened-out', code: 'S' })
  })
})

describe('prepare', () => {
  it('only reads', async () => {
    const methods: string[] = []
    const replies: Record<string, unknown> = {
      c1: campaign,
      recruiting: { links: [linkOf(3, 1)] },
      items: { items: [row('a'), row('g', 'yes'), row('b'), row('h', 'no')] },
    }
    const found = await prepare('c1', 'l1', (input, init) => {
      methods.push(init?.method ?? '')
      return Promise.resolve(Response.json(replies[String(input).split('?')[0]?.split('/').pop() ?? '']))
    })
    expect(found.items.map(({ item }) => item)).toEqual(['g', 'a', 'b'])
    expect(new Set(methods)).toEqual(new Set(['GET']))
  })
})
