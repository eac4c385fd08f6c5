// Whose pages these are: the token, kept in the browser until somebody signs out, in all tabs.
import { Client, Problem } from '../api/client.ts'
import { Requester } from '../api/requester.ts'
import { texts } from '../texts.ts'
import { forgetDrafts } from '../wizard/kept.ts'

/** Nothing there: somebody signed out. Empty: the server turned the token away. */
const kKey = 'allot.token'

/** The token that an address brings, `#token=allot_...`. */
export function tokenIn(hash: string): string | null {
  return /^#token=(allot_[^\s&]+)$/.exec(hash)?.[1] ?? null
}

function kept(): string | null {
  try {
    return localStorage.getItem(kKey) || null
  } catch {
    return null
  }
}

class Session {
  token = $state<string | null>(null)
  /** Why one has to sign in again. */
  reason = $state<string | null>(null)
  readonly server = $derived(this.token === null ? null : new Requester(new Client(this.token)))

  constructor() {
    this.takeFromAddress()
    if (this.token === null) this.token = kept()
    addEventListener('hashchange', () => this.takeFromAddress())
    addEventListener('storage', (event) => {
      if (event.key !== kKey) return
      if (event.newValue === null) this.signOut()
      else this.token = event.newValue || null
    })
  }

  private takeFromAddress(): void {
    const brought = tokenIn(location.hash)
    if (!brought) return
    history.replaceState(null, '', location.pathname + location.search)
    this.signIn(brought)
  }

  signIn(token: string): void {
    this.reason = null
    this.token = token
    try {
      localStorage.setItem(kKey, token)
    } catch {
      // Without storage one is signed in as long as the page is open.
    }
  }

  signOut(reason: string | null = null): void {
    this.token = null
    this.reason = reason
    // Whom the server turned away did not mean to leave: in all tabs, drafts wait for the token that they belong to.
    if (reason === null) forgetDrafts()
    try {
      if (reason === null) localStorage.removeItem(kKey)
      else localStorage.setItem(kKey, '')
    } catch {
      // There was nothing then.
    }
  }

  /** What a refusal says; one that is about the token itself ends the session. */
  explain(error: unknown): string {
    if (error instanceof Problem && (error.code === 'bad_token' || error.code === 'no_token')) {
      this.signOut(error.message)
    } else if (error instanceof Problem && error.code === 'wrong_role') {
      this.signOut(texts.requester.isWorker)
    }
    return error instanceof Error ? error.message : String(error)
  }
}

export const session = new Session()
