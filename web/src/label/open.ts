/** From the address to a desk: /label/CAMPAIGN#TOKEN. The part behind # never leaves the browser but as a token. */
import { Client } from '../api/client.ts'
import { newKey } from '../api/key.ts'
import { Desk, type Tabs } from './desk.svelte.ts'

function storage(): Storage | null {
  try {
    return localStorage
  } catch {
    return null
  }
}

/** Small things that are kept, if they can be. */
export const kept = {
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
      // Asked again next time.
    }
  },
}

function tabsOf(box: string): Tabs | null {
  if (typeof BroadcastChannel === 'undefined') return null
  const channel = new BroadcastChannel(`allot.${box}`)
  return {
    say: (message) => channel.postMessage(message),
    listen: (heard) => (channel.onmessage = (event) => heard(event.data)),
    close: () => channel.close(),
  }
}

export function openDesk(address: { pathname: string; hash: string }): { desk: Desk; campaign: string } {
  const campaign = decodeURIComponent(address.pathname.split('/')[2] ?? '')
  const token = decodeURIComponent(address.hash.slice(1))
  // The public part of a token tells whose answers these are; another link is another box.
  const box = `${campaign}.${token.split('_')[1] ?? 'none'}`
  const desk = new Desk(new Client(token), campaign, { storage: storage(), tabs: tabsOf(box), newKey }, box)
  return { desk, campaign }
}
