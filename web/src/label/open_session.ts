/** Opens the session that an address names. */
import { Client } from '../api/client.ts'
import { newKey } from '../api/key.ts'
import { LabelSession, type Tabs } from './label_session.svelte.ts'
import { parseLink, storage } from './link.ts'

function tabsOf(box: string): Tabs | null {
  if (typeof BroadcastChannel === 'undefined') return null
  const channel = new BroadcastChannel(`allot.${box}`)
  return {
    send: (message) => channel.postMessage(message),
    listen: (receive) => (channel.onmessage = (event) => receive(event.data)),
    close: () => channel.close(),
  }
}

export function openSession(address: { pathname: string; hash: string }): { session: LabelSession; campaign: string } {
  const { campaign, token, box } = parseLink(address)
  const session = new LabelSession(new Client(token), campaign, { storage: storage(), tabs: tabsOf(box), newKey }, box)
  return { session, campaign }
}
