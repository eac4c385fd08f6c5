/** The account of a person who opens a page without a link's token. */
import { type Client, ConnectionError, Problem } from '../api/client.ts'
import { signInState } from '../api/sign_in.ts'
import { parseLink } from './link.ts'

export interface Account {
  /** Null until the person signs in. */
  person: string | null
  provider: string | null
}

const kRetryDelay = 2_000

/** Finds the account for an address; null for a link, and for a server without accounts. Repeats until the server answers. */
export async function accountFor(
  address: { pathname: string; hash: string },
  waits: () => void,
  client?: Client,
): Promise<Account | null> {
  if (parseLink(address).token !== '') return null
  for (;;) {
    try {
      const { accounts, person, provider } = await signInState(client)
      return accounts ? { person, provider } : null
    } catch (error) {
      // The page's own requests are refused too, and it then says why.
      if (error instanceof Problem && !error.isTemporary) return { person: null, provider: null }
      if (!(error instanceof Problem) && !(error instanceof ConnectionError)) throw error
      waits()
      await new Promise((resolve) => setTimeout(resolve, kRetryDelay))
    }
  }
}

/** The name of an account's outbox in a campaign, so that each person of a browser has their own. */
export const accountBox = (campaign: string, { person }: Account) =>
  `${campaign}.account=${encodeURIComponent(person ?? '').replaceAll('.', '%2E')}`
