// Which page an address is, and going from one to the next without loading anything anew.

export type Place =
  | { page: 'list' }
  | { page: 'new' }
  | { page: 'board'; campaign: string }
  | { page: 'item'; campaign: string; item: string }
  | { page: 'compare'; campaign: string; other: string }
  | { page: 'unknown' }

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

export function placeOf(path: string): Place {
  const [first, second, third, fourth, ...more] = path.split('/').filter(Boolean).map(decoded)
  if (more.length > 0) return { page: 'unknown' }
  if (first === undefined) return { page: 'list' }
  if (first === 'new' && second === undefined) return { page: 'new' }
  if (first === 'campaigns' && second !== undefined) {
    if (third === undefined) return { page: 'board', campaign: second }
    if (third === 'items' && fourth !== undefined) return { page: 'item', campaign: second, item: decoded(fourth) }
  }
  if (first === 'compare' && second !== undefined && third !== undefined && fourth === undefined) {
    return { page: 'compare', campaign: second, other: third }
  }
  return { page: 'unknown' }
}

const part = encodeURIComponent

/** The id of an item may hold anything: written twice over, so that no slash or dot in it is one of the address. */
function itemPart(id: string): string {
  return part(part(id).replace(/^\.+$/, (dots) => '%2E'.repeat(dots.length)))
}
export const address = {
  list: '/',
  make: '/new',
  board: (campaign: string) => `/campaigns/${part(campaign)}`,
  item: (campaign: string, item: string) => `/campaigns/${part(campaign)}/items/${itemPart(item)}`,
  compare: (campaign: string, other: string) => `/compare/${part(campaign)}/${part(other)}`,
}

class Router {
  place = $state<Place>(placeOf(location.pathname))
  /** Something here would be lost: links load their page anew, so that the browser asks first. */
  careful = false

  constructor() {
    addEventListener('popstate', () => {
      this.place = placeOf(location.pathname)
    })
  }

  go(to: string): void {
    history.pushState(null, '', to)
    this.place = placeOf(location.pathname)
    scrollTo(0, 0)
  }

  /** Links of these pages are followed here; all others, and those with a key held, by the browser. */
  follow = (event: MouseEvent): void => {
    if (this.careful || event.defaultPrevented || event.button !== 0) return
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    const link = (event.target as Element | null)?.closest('a')
    if (!link || link.target || link.hasAttribute('download') || link.origin !== location.origin) return
    if (link.hash || placeOf(link.pathname).page === 'unknown') return
    event.preventDefault()
    this.go(link.pathname)
  }
}

export const router = new Router()
