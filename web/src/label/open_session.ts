/** Opens the session that an address names. */
import { Client, type Fetch } from '../api/client.ts'
import { newKey } from '../api/key.ts'
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
}

export function openSession(address: { pathname: string; hash: string }): OpenedSession {
  return open(parseLink(address))
}

/** Opens the session of a participant, whose token is not in the address. */
export function openWithToken(campaign: string, token: string): OpenedSession {
  return open({ campaign, token, box: boxOf(campaign, token) })
}

/** Opens a session that `fetcher` answers; the browser keeps nothing of it. */
export function openRehearsal(campaign: string, fetcher: Fetch): OpenedSession {
  const session = new LabelSession(new Client('', fetcher), campaign, { storage: null, tabs: null, newKey }, '')
  return { session, campaign }
}

function open({ campaign, token, box }: { campaign: string; token: string; box: string }): OpenedSession {
  const session = new LabelSession(new Client(token), campaign, { storage: storage(), tabs: tabsOf(box), newKey }, box)
  return { session, campaign }
}
