/** Signing in with an account instead of a token. */
import { accountToken, Client } from './client.ts'

/** How people can sign in besides tokens, and who has. */
export interface SignInState {
  /** Whether people can sign in with accounts. */
  accounts: boolean
  /** The name of the sign-in provider; null if there is none, as behind a proxy that signs people in. */
  provider: string | null
  person: string | null
  role: string | null
}

export const signInState = (client = new Client(accountToken(''))) => client.get<SignInState>('/api/v1/sign-in')

/** Where the provider's page begins; it comes back to the path `to`. */
export const providerAddress = (to: string) => `/sign-in?to=${encodeURIComponent(to)}`

/** The page with the campaigns of a person. */
export const kWorkAddress = '/work'
