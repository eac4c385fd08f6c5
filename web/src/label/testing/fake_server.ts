// A server of a few lines for tests of the worker's page.

import type { SessionEnd, SessionProgress } from '../../api/types.ts'

export const kCampaign = 'c1'

interface Lease {
  item: string
  expires: number
}

/** The API for one worker; a request counts once per Idempotency-Key. */
export class FakeServer {
  pool: string[]
  leases: Lease[] = []
  labels = new Map<string, string>()
  /** Labels and changes in the order the server counted them. */
  ledger: { item: string; label: string; revised: boolean }[] = []
  skipped: string[] = []
  phase = 'running'
  lease = 600_000
  /** Cuts the connection before the request arrives, or before the reply does. */
  cut: 'none' | 'before' | 'after' = 'none'
  refuseToken = false
  /** A participant's session; null for other workers. */
  progress: SessionProgress | null = null
  /** The right answer to items of the qualification. */
  right = 'yes'
  /** Milliseconds until a request arrives. */
  delay = 0
  requests: string[] = []
  private readonly replies = new Map<string, { body: string; reply: Response }>()

  constructor(items: number) {
    this.pool = Array.from({ length: items }, (_, n) => `i${n}`)
  }

  fetch: typeof fetch = async (input, init) => {
    await (this.delay ? new Promise((arrive) => setTimeout(arrive, this.delay)) : Promise.resolve())
    const address = String(input)
    if (this.cut === 'before') throw new TypeError('cut')
    this.requests.push(`${init?.method} ${address.split('/').pop()}`)
    const key = (init?.headers as Record<string, string>)['Idempotency-Key']
    const body = String(init?.body ?? '')
    const known = key === undefined ? undefined : this.replies.get(key)
    let reply: Response
    if (known) {
      reply = known.body === body ? known.reply : problem(422, 'key_reused')
    } else {
      reply = this.serve(init?.method ?? 'GET', address, JSON.parse(body || '{}') as Body)
      if (key !== undefined && reply.status < 500) this.replies.set(key, { body, reply })
    }
    if (this.cut === 'after') throw new TypeError('cut')
    return reply.clone()
  }

  private serve(method: string, address: string, body: Body): Response {
    if (this.refuseToken) return problem(401, 'bad_token')
    const route = address.split('/').pop()
    this.leases = this.leases.filter(({ expires }) => expires > Date.now())
    if (route === 'me') {
      const campaign = {
        id: kCampaign,
        name: 'C',
        classes: ['no', 'yes'],
        labels: this.labels.size,
        at_hand: 0,
        phase: this.phase,
        earned: this.labels.size * 0.1,
        session: this.progress,
      }
      return json({ role: 'worker', label: '', worker: 'ann', campaign })
    }
    if (route === 'assignments') {
      if (method === 'GET') return json({ assignments: this.leases.map(assignment), shortfall: null })
      const leased = this.leaseItems(body.count ?? 1)
      if (!this.leases.length) this.end('no-work')
      return json({ ...leased, session: this.progress })
    }
    if (body.labels) {
      const labels = body.labels.map(({ item, label }) => {
        const { outcome, code } = this.record(item, label)
        return code === undefined ? { item, outcome } : { item, outcome, code, detail: code }
      })
      return json({ labels, next: this.leaseItems(body.next ?? 0) })
    }
    if (route === 'labels' && body.revise) {
      if (!this.labels.has(body.item) || this.phase === 'closed') return problem(403, 'forbidden')
      this.labels.set(body.item, body.label)
      this.ledger.push({ item: body.item, label: body.label, revised: true })
      return json({ labels: [{ item: body.item, outcome: 'revised' }], next: null })
    }
    if (route === 'skip') {
      if (!this.isLeased(body.item)) return problem(403, 'forbidden')
      this.leases = this.leases.filter(({ item }) => item !== body.item)
      this.skipped.push(body.item)
      return json({ item: body.item, next: this.leaseItems(body.next ?? 0) })
    }
    const { outcome, code } = this.record(body.item, body.label)
    if (code !== undefined) return problem(code === 'conflict' ? 409 : 403, code)
    const result = this.progress?.qualification?.feedback
      ? { right: body.label === this.right, answer: this.right }
      : {}
    this.count(body.label)
    const next = this.progress?.end ? null : this.leaseItems(body.next ?? 0)
    return json({ labels: [{ item: body.item, outcome, ...result }], next, session: this.progress })
  }

  private record(item: string, label: string): { outcome: string; code?: string } {
    const known = this.labels.get(item)
    if (known === label) return { outcome: 'already' }
    if (known !== undefined) return { outcome: 'refused', code: 'conflict' }
    if (!this.isLeased(item)) return { outcome: 'refused', code: 'forbidden' }
    this.leases = this.leases.filter((lease) => lease.item !== item)
    this.labels.set(item, label)
    this.ledger.push({ item, label, revised: false })
    return { outcome: 'recorded' }
  }

  /** Counts a label in a participant's session. One wrong answer fails the qualification. */
  private count(label: string) {
    const { progress } = this
    if (!progress) return
    const test = progress.qualification
    if (!test) this.progress = { ...progress, labels: progress.labels + 1 }
    else if (label !== this.right) return this.end('screened-out')
    else this.progress = { ...progress, qualification: test.tried + 1 < test.of ? { ...test, tried: test.tried + 1 } : null }
    if (this.progress?.labels === progress.of) this.end('done')
  }

  private end(outcome: SessionEnd['outcome']) {
    if (this.progress && !this.progress.end) {
      this.progress = { ...this.progress, qualification: null, end: { outcome, code: 'C1', return_url: null, form: null } }
    }
  }

  private isLeased(item: string) {
    return this.leases.some((lease) => lease.item === item)
  }

  private leaseItems(count: number) {
    const items = this.phase === 'running' ? this.pool.splice(0, count) : []
    const fresh = items.map((item) => ({ item, expires: Date.now() + this.lease }))
    this.leases.push(...fresh)
    const shortfall = items.length < count ? { code: 'nothing_now', detail: '' } : null
    return { assignments: fresh.map(assignment), shortfall }
  }
}

interface Body {
  item: string
  label: string
  /** Several labels in one request. */
  labels?: { item: string; label: string }[]
  revise?: boolean
  next?: number
  count?: number
}

const assignment = ({ item, expires }: Lease) => ({
  item,
  fields: { text: item },
  price: 0.1,
  expires: new Date(expires).toISOString(),
})
const json = (body: unknown) =>
  new Response(JSON.stringify(body), { headers: { 'Content-Type': 'application/json' } })
const problem = (status: number, code: string) =>
  new Response(JSON.stringify({ code, detail: code }), {
    status,
    headers: { 'Content-Type': 'application/problem+json' },
  })
