// A server of a few lines for tests of the reviewer's page.
import type { ReviewRow, Verdict } from '../../api/review_types.ts'

export const kCampaign = 'c1'

export const reviewRow = (item: string, why: ReviewRow['why'] = 'uncertain'): ReviewRow => ({
  item,
  fields: { text: item },
  answer: 'yes',
  probability: 0.6,
  probabilities: { no: 0.4, yes: 0.6 },
  labels: [
    { worker: 'ann', label: 'yes' },
    { worker: 'bob', label: 'no' },
  ],
  disagreement: 0.5,
  skips: 0,
  why,
})

/** The API for the reviewer "rae"; a verdict counts once per Idempotency-Key. */
export class FakeReviewServer {
  queue: ReviewRow[]
  verdicts = new Map<string, Verdict>()
  /** Verdicts and undos in the order the server counted them. */
  ledger: string[] = []
  orders: string[] = []
  /** Refusals by item. */
  refusals = new Map<string, { status: number; code: string }>()
  audit: { checked: number; checks: number } | null = null
  /** Cuts the connection before the request arrives, or before the reply does. */
  cut: 'none' | 'before' | 'after' = 'none'
  role = 'reviewer'
  /** Replies to requests wait for it. */
  gate: Promise<void> = Promise.resolve()
  private readonly keys = new Set<string>()

  constructor(items: string[] | ReviewRow[]) {
    this.queue = items.map((item) => (typeof item === 'string' ? reviewRow(item) : item))
  }

  fetch: typeof fetch = async (input, init) => {
    await Promise.resolve()
    if (this.cut === 'before') throw new TypeError('cut')
    const address = new URL(String(input), 'http://server')
    const key = (init?.headers as Record<string, string>)['Idempotency-Key']
    const body = JSON.parse(typeof init?.body === 'string' ? init.body : '{}') as Body
    const reply = this.serve(init?.method ?? 'GET', address, body, key)
    await this.gate
    if (this.cut === 'after') throw new TypeError('cut')
    return reply
  }

  private serve(method: string, address: URL, body: Body, key: string | undefined): Response {
    const route = address.pathname.split('/').pop()
    if (route === 'me') {
      const campaign = { id: kCampaign, name: 'C', classes: ['no', 'yes'], labels: 0, at_hand: 0 }
      return json({ role: this.role, label: '', worker: null, reviewer: 'rae', campaign })
    }
    if (route === 'review') {
      this.orders.push(address.searchParams.get('by') ?? '')
      return json({ items: this.queue.filter(({ item }) => !this.verdicts.has(item)) })
    }
    if (route === 'audit') return json({ audit: this.audit })
    if (route === 'verdicts' && method === 'GET') return json({ verdicts: [...this.verdicts.values()], next: null })
    const { item, answer, reason = '' } = body
    if (route === 'undo') {
      if (!this.verdicts.delete(item)) return problem(409, 'conflict')
      this.ledger.push(`undo ${item}`)
      return json({ item })
    }
    if (key !== undefined && this.keys.has(key)) return json({ verdicts: [{ item, outcome: 'recorded' }] })
    const refusal = this.refusals.get(item) ?? (this.verdicts.has(item) ? { status: 409, code: 'conflict' } : null)
    if (refusal) return problem(refusal.status, refusal.code)
    this.keys.add(key ?? '')
    this.decide(item, answer, 'rae', reason)
    this.ledger.push(`${answer} ${item}${reason ? `: ${reason}` : ''}`)
    return json({ verdicts: [{ item, outcome: 'recorded' }] })
  }

  decide(item: string, answer: string, reviewer: string, reason = '', time = new Date().toISOString()) {
    this.verdicts.set(item, { item, answer, reviewer, reason, time, believed: 'yes', stated: 0.6 })
    if (this.audit) this.audit = { ...this.audit, checked: this.audit.checked + 1 }
  }
}

interface Body {
  item: string
  answer: string
  reason?: string
}

const json = (body: unknown) =>
  new Response(JSON.stringify(body), { headers: { 'Content-Type': 'application/json' } })
const problem = (status: number, code: string) =>
  new Response(JSON.stringify({ code, detail: `detail of ${code}` }), {
    status,
    headers: { 'Content-Type': 'application/problem+json' },
  })
