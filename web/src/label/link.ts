/** What a person's link says (/label/CAMPAIGN#TOKEN, /review/CAMPAIGN#TOKEN), and what the browser keeps for its page. */

/** The parts of a link. Browsers do not send the part after #. */
export function parseLink(address: { pathname: string; hash: string }) {
  const campaign = decodeURIComponent(address.pathname.split('/')[2] ?? '')
  const token = decodeURIComponent(address.hash.slice(1))
  return { campaign, token, box: boxOf(campaign, token) }
}

/** The name of an outbox: the public part of the token, so that each link has its own. */
export const boxOf = (campaign: string, token: string) => `${campaign}.${token.split('_')[1] ?? 'none'}`

export function storage(): Storage | null {
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
