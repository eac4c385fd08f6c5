/** The campaigns that a person with an account may label or review. */
import { type Client, path, Problem } from '../api/client.ts'
import { type SignInState, signInState } from '../api/sign_in.ts'

export interface Task {
  id: string
  name: string
  role: 'worker' | 'reviewer'
  question: string
  /** The path of the page where the person works. */
  page: string
}

/** What the page shows: `refused` if the server lets the person in no more. */
export type Work =
  | { view: 'tasks'; person: string; role: string; provider: string | null; tasks: Task[] }
  | { view: 'signedOut'; provider: string | null; accounts: boolean }
  | { view: 'refused' }

const kMaxPages = 10

export async function loadWork(client: Client): Promise<Work> {
  try {
    const state = await signInState(client)
    if (state.person === null) return { view: 'signedOut', provider: state.provider, accounts: state.accounts }
    return { view: 'tasks', ...signedIn(state), tasks: await allTasks(client) }
  } catch (error) {
    if (error instanceof Problem && error.code === 'sign_in_refused') return { view: 'refused' }
    throw error
  }
}

const signedIn = ({ person, role, provider }: SignInState) => ({ person: person ?? '', role: role ?? '', provider })

async function allTasks(client: Client): Promise<Task[]> {
  const all: Task[] = []
  let cursor: string | undefined
  for (let pages = 0; pages < kMaxPages; ++pages) {
    const page = await client.get<{ campaigns: Task[]; next: string | null }>(path('me', 'campaigns'), {
      query: { limit: 1000, cursor },
    })
    all.push(...page.campaigns)
    if (page.next === null) break
    cursor = page.next
  }
  return all.sort((a, b) => a.name.localeCompare(b.name))
}
