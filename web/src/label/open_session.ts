/** Opens the session that an address names. */
import { accountToken, Client, type Fetch } from '../api/client.ts'
import { newKey } from '../api/key.ts'
import { type Account, accountBox } from './account.ts'
import { LabelSession, type Tabs } from './label_session.svelte.ts'
import { boxOf, parseLink, storage } from './link.ts'

function tabsOf(box: string): Tabs | null {
  if (typeof BroadcastChannel === 'undefined') return null
  const channel = new BroadcastChannel(`allot.${box}`)
  return {
    send: (message) => channel.postMessage(message),
    listen: (receive) => (channel.onmessage = (event) => receive(event.data)),
    close: () => channel.close(),
  }
}

export interface OpenedSession {
  session: LabelSession
  campaign: string
  /** Null for a session that a token opens. */
  account: Account | null
}

/** Opens the session of a link, or of a person who has signed in. */
export function openSession(address: { pathname: string; hash: string }, account: Account | null): OpenedSession {
  const link = parseLink(address)
  if (account === null) return open(link)
  const { campaign } = link
  return open({ campaign, token: accountToken(account.person ?? ''), box: accountBox(campaign, account) }, account)
}

/** Opens the session of a participant, whose token is not in the address. */
export function openWithToken(campaign: string, token: string): OpenedSession {
  return open({ campaign, token, box: boxOf(campaign, token) })
}

/** Opens a session that `fetcher` answers; the browser keeps nothing of it. */
export function openRehearsal(campaign: string, fetcher: Fetch): OpenedSession {
  const session = new LabelSession(new Client('', fetcher), campaign, { storage: null, tabs: null, newKey }, '')
  return { session, campaign, account: null }
}

function open(
  { campaign, token, box }: { campaign: string; token: string; box: string },
  account: Account | null = null,
): OpenedSession {
  const session = new LabelSession(new Client(token), campaign, { storage: storage(), tabs: tabsOf(box), newKey }, box)
  return { session, campaign, account }
}
