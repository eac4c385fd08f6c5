// Maps addresses to pages, and moves between pages without loading them again.

export type Route =
  | { page: 'list' }
  | { page: 'new' }
  | { page: 'board'; campaign: string }
  | { page: 'item'; campaign: string; item: string }
  | { page: 'compare'; campaign: string; other: string }
  | { page: 'unknown' }

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

export function routeOf(path: string): Route {
  const [first, second, third, fourth, ...more] = path.split('/').filter(Boolean).map(decode)
  if (more.length > 0) return { page: 'unknown' }
  if (first === undefined) return { page: 'list' }
  if (first === 'new' && second === undefined) return { page: 'new' }
  if (first === 'campaigns' && second !== undefined) {
    if (third === undefined) return { page: 'board', campaign: second }
    if (third === 'items' && fourth !== undefined) return { page: 'item', campaign: second, item: decode(fourth) }
  }
  if (first === 'compare' && second !== undefined && third !== undefined && fourth === undefined) {
    return { page: 'compare', campaign: second, other: third }
  }
  return { page: 'unknown' }
}

const part = encodeURIComponent

/** Escapes the id of an item twice: it can hold slashes and dots that must not be part of the path. */
function itemPart(id: string): string {
  return part(part(id).replace(/^\.+$/, (dots) => '%2E'.repeat(dots.length)))
}
export const address = {
  list: '/',
  create: '/new',
  board: (campaign: string) => `/campaigns/${part(campaign)}`,
  item: (campaign: string, item: string) => `/campaigns/${part(campaign)}/items/${itemPart(item)}`,
  compare: (campaign: string, other: string) => `/compare/${part(campaign)}/${part(other)}`,
}

class Router {
  route = $state<Route>(routeOf(location.pathname))
  /** Set while leaving would lose something: links then load their page, so that the browser asks first. */
  confirmLeaving = false

  constructor() {
    addEventListener('popstate', () => {
      this.route = routeOf(location.pathname)
    })
  }

  go(to: string): void {
    history.pushState(null, '', to)
    this.route = routeOf(location.pathname)
    scrollTo(0, 0)
  }

  /** Follows links to these pages; the browser follows all others, and clicks with a key held. */
  follow = (event: MouseEvent): void => {
    if (this.confirmLeaving || event.defaultPrevented || event.button !== 0) return
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    const link = (event.target as Element | null)?.closest('a')
    if (!link || link.target || link.hasAttribute('download') || link.origin !== location.origin) return
    if (link.hash || routeOf(link.pathname).page === 'unknown') return
    event.preventDefault()
    this.go(link.pathname)
  }
}

export const router = new Router()
