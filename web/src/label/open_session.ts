/** Opens the session that an address names: /label/CAMPAIGN#TOKEN. Browsers do not send the part after #. */
import { Client } from '../api/client.ts'
import { newKey } from '../api/key.ts'
import { LabelSession, type Tabs } from './label_session.svelte.ts'

function storage(): Storage | null {
  try {
    return localStorage
  } catch {
    return null
  }
}

/** Small settings, stored where the browser allows it. */
export const settings = {
  get(name: string): string | null {
    try {
      return storage()?.getItem(name) ?? null
    } catch {
      return null
    }
  },
  set(name: string, value: string) {
    try {
      storage()?.setItem(name, value)
    } catch {
      // Without storage the setting lasts as long as the page.
    }
  },
}

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
  const campaign = decodeURIComponent(address.pathname.split('/')[2] ?? '')
  const token = decodeURIComponent(address.hash.slice(1))
  // The public part of the token names the box, so that each link has its own outbox.
  const box = `${campaign}.${token.split('_')[1] ?? 'none'}`
  const session = new LabelSession(new Client(token), campaign, { storage: storage(), tabs: tabsOf(box), newKey }, box)
  return { session, campaign }
}
