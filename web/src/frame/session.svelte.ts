// The requester's token, or account. The browser keeps a token for all tabs until the requester signs out.
import { accountToken, Client, Problem } from '../api/client.ts'
import { Requester } from '../api/requester.ts'
import { kWorkAddress, signInState } from '../api/sign_in.ts'
import { texts } from '../texts.ts'
import { forgetDrafts } from '../wizard/draft_store.ts'
import { kTokenKey, storedToken } from './stored_token.ts'

/** The token in an address that ends with `#token=allot_...`. */
export function tokenIn(hash: string): string | null {
  return /^#token=(allot_[^\s&]+)$/.exec(hash)?.[1] ?? null
}

/** A word as a shell reads it back. */
const inShell = (word: string) => (/^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)

/** How a shell passes the data folder to `allot serve`; without one, the server stores in a database. */
export function storeOption(folder: string | null): string {
  if (folder === null) return '--store postgresql://…'
  return `--data ${inShell(folder)}`
}

/** Where a command on the machine of the server finds a campaign. */
export function campaignPlace(folder: string | null, campaign: string): string {
  return folder === null ? `postgresql://… --campaign ${campaign}` : inShell(`${folder}/campaigns/${campaign}.db`)
}

class Session {
  token = $state<string | null>(null)
  /** Name of the provider with which people can sign in; null if there is none. */
  provider = $state<string | null>(null)
  /** The reason why the requester must sign in again. */
  reason = $state<string | null>(null)
  /** Where other people reach the server: its public address if the operator named one, else that of this page. */
  origin = $state(location.origin)
  /** The option that starts the server again on the same data. */
  storeOption = $state('')
  /** The folder of the server's data; null if a database has them. */
  dataFolder = $state<string | null>(null)
  readonly isAccount = $derived(this.token?.startsWith('account ') ?? false)
  readonly server = $derived(this.token === null ? null : new Requester(new Client(this.token)))

  constructor() {
    this.takeFromAddress()
    if (this.token === null) this.token = storedToken()
    if (this.token === null) void this.lookForAccount()
    addEventListener('hashchange', () => this.takeFromAddress())
    addEventListener('storage', (event) => {
      if (event.key !== kTokenKey) return
      if (event.newValue === null) this.signOut()
      else this.token = event.newValue || null
    })
  }

  private takeFromAddress(): void {
    const token = tokenIn(location.hash)
    if (!token) return
    history.replaceState(null, '', location.pathname + location.search)
    this.signIn(token)
  }

  /** Finds out whether the person has signed in with an account, or could. */
  private async lookForAccount(): Promise<void> {
    try {
      const state = await signInState()
      this.provider = state.provider
      // These pages are not for people who only label or review.
      if (state.role === 'worker' || state.role === 'reviewer') location.replace(kWorkAddress)
      else if (state.person !== null && this.token === null) this.token = accountToken(state.person)
    } catch {
      // The page then asks for a token.
    }
  }

  /** Asks the server for its public address. */
  async learnOrigin(): Promise<void> {
    try {
      const me = await this.server?.me()
      this.origin = me?.public_url ?? location.origin
      this.dataFolder = me?.data_folder ?? null
      this.storeOption = storeOption(this.dataFolder)
    } catch {
      // The address of this page is right in most cases, and the other requests of the page tell what is wrong.
    }
  }

  signIn(token: string): void {
    this.reason = null
    this.token = token
    try {
      localStorage.setItem(kTokenKey, token)
    } catch {
      // Without storage the token lasts as long as the page.
    }
  }

  signOut(reason: string | null = null): void {
    if (reason === null && this.token !== null && this.isAccount) {
      void new Client(this.token).post('/api/v1/sign-out', undefined).catch(() => undefined)
    }
    if (this.provider === null) void this.lookForAccount()
    this.token = null
    this.reason = reason
    // A refused token is not a sign-out: drafts stay in all tabs until their token is back.
    if (reason === null) forgetDrafts()
    try {
      if (reason === null) localStorage.removeItem(kTokenKey)
      else localStorage.setItem(kTokenKey, '')
    } catch {
      // Without storage there is nothing to remove.
    }
  }

  /** Returns the message of an error, and ends the session if the server refused the token. */
  explain(error: unknown): string {
    if (error instanceof Problem && (error.code === 'bad_token' || error.code === 'no_token')) {
      this.signOut(error.message)
    } else if (error instanceof Problem && error.code === 'wrong_role') {
      this.signOut(texts.requester.personalToken)
    }
    return error instanceof Error ? error.message : String(error)
  }
}

export const session = new Session()
