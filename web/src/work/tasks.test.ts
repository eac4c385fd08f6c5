import { describe, expect, it } from 'vitest'
import { accountToken, Client } from '../api/client.ts'
import { loadWork } from './tasks.ts'

const task = (id: string, name: string) => ({ id, name, role: 'worker', question: '', page: `/label/${id}` })

function clientWith(person: string | null, refuses = false) {
  return new Client(accountToken(''), (input) => {
    const { pathname, searchParams } = new URL(String(input), 'http://server')
    if (refuses) return Promise.resolve(Response.json({ code: 'sign_in_refused' }, { status: 403 }))
    if (pathname === '/api/v1/sign-in') {
      return Promise.resolve(Response.json({ accounts: true, provider: 'Example', person, role: 'worker' }))
    }
    expect(pathname).toBe('/api/v1/me/campaigns')
    const isFirst = searchParams.get('cursor') === null
    const page = isFirst ? { campaigns: [task('c1', 'Zebras')], next: 'c1' } : { campaigns: [task('c2', 'Ants')], next: null }
    return Promise.resolve(Response.json(page))
  })
}

describe('loadWork', () => {
  it('fetches every page of campaigns and sorts them by name', async () => {
    const work = await loadWork(clientWith('ann@example.org'))
    expect(work).toMatchObject({ view: 'tasks', person: 'ann@example.org', role: 'worker', provider: 'Example' })
    expect(work.view === 'tasks' ? work.tasks.map(({ name }) => name) : []).toEqual(['Ants', 'Zebras'])
  })

  it('says who must sign in, and who may not', async () => {
    expect(await loadWork(clientWith(null))).toEqual({ view: 'signedOut', provider: 'Example', accounts: true })
    expect(await loadWork(clientWith(null, true))).toEqual({ view: 'refused' })
  })
})
