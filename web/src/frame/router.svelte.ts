// Maps addresses to pages, and moves between pages without loading them again.

export type Route =
  | { page: 'list' }
  | { page: 'archive' }
  | { page: 'new' }
  | { page: 'board'; campaign: string }
  | { page: 'recruiting'; campaign: string }
  | { page: 'workers'; campaign: string }
  | { page: 'settings'; campaign: string }
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
  if (first === 'archive' && second === undefined) return { page: 'archive' }
  if (first === 'campaigns' && second !== undefined) {
    if (third === undefined) return { page: 'board', campaign: second }
    if (third === 'recruiting' && fourth === undefined) return { page: 'recruiting', campaign: second }
    if (third === 'workers' && fourth === undefined) return { page: 'workers', campaign: second }
    if (third === 'settings' && fourth === undefined) return { page: 'settings', campaign: second }
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
  archive: '/archive',
  create: '/new',
  board: (campaign: string) => `/campaigns/${part(campaign)}`,
  workers: (campaign: string) => `/campaigns/${part(campaign)}/workers`,
  settings: (campaign: string) => `/campaigns/${part(campaign)}/settings`,
  item: (campaign: string, item: string) => `/campaigns/${part(campaign)}/items/${itemPart(item)}`,
  recruiting: (campaign: string) => `/campaigns/${part(campaign)}/recruiting`,
  compare: (campaign: string, other: string) => `/compare/${part(campaign)}/${part(other)}`,
}

/** What the browser keeps with an entry of its history. */
interface EntryState {
  /** The place to which Back returns. */
  scroll?: number
  /** What the page keeps there. */
  page?: unknown
}

const entryState = () => (history.state ?? {}) as EntryState

/** Scrolls to a place as soon as the page is long enough, unless the person scrolls or types meanwhile. */
function restoreScroll(place: number): void {
  const kPatience = 5000
  const kSettling = 600
  const start = Date.now()
  let reached = 0
  const events = ['wheel', 'touchstart', 'pointerdown', 'keydown', 'popstate'] as const
  const stop = () => {
    clearInterval(timer)
    for (const name of events) removeEventListener(name, stop)
  }
  const timer = setInterval(() => {
    const now = Date.now()
    if (document.documentElement.scrollHeight >= place + innerHeight) {
      reached ||= now
      scrollTo(0, place)
    }
    // Parts above the place may still grow for a moment.
    if ((reached > 0 && now - reached > kSettling) || now - start > kPatience) stop()
  }, 50)
  for (const name of events) addEventListener(name, stop)
}

class Router {
  route = $state<Route>(routeOf(location.pathname))
  /** Set while leaving would lose something: links then load their page, so that the browser asks first. */
  confirmLeaving = false

  constructor() {
    addEventListener('popstate', () => {
      this.route = routeOf(location.pathname)
      const { scroll } = entryState()
      if (scroll) restoreScroll(scroll)
    })
  }

  go(to: string): void {
    history.replaceState({ ...entryState(), scroll: scrollY }, '')
    history.pushState(null, '', to)
    this.route = routeOf(location.pathname)
    scrollTo(0, 0)
  }

  /** Goes to a page that takes the place of this one in the history. */
  replace(to: string): void {
    history.replaceState(null, '', to)
    this.route = routeOf(location.pathname)
    scrollTo(0, 0)
  }

  /** Names another address for the page that is shown: a reload and a later visit lead there. */
  rename(to: string): void {
    history.replaceState(null, '', to)
  }

  /** Adds an entry to the history for the same address, with what the page keeps there. */
  push(page: unknown): void {
    history.replaceState({ ...entryState(), scroll: scrollY }, '')
    history.pushState({ page }, '', location.pathname + location.search)
  }

  /** The query of the address, and what the page kept with it. */
  get query(): URLSearchParams {
    return new URLSearchParams(location.search)
  }
  get kept(): unknown {
    return entryState().page
  }

  /** Puts the choices of a page into the address, without a new entry in the history; empty ones are left out. */
  keep(query: Record<string, string>, page: unknown = null): void {
    const words = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== '')).toString()
    history.replaceState({ ...entryState(), page }, '', location.pathname + (words ? `?${words}` : ''))
  }

  /** Follows links to these pages; the browser follows all others, and clicks with a key held. */
  follow = (event: MouseEvent): void => {
    if (this.confirmLeaving || event.defaultPrevented || event.button !== 0) return
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    const link = (event.target as Element | null)?.closest('a')
    if (!link || link.target || link.hasAttribute('download') || link.origin !== location.origin) return
    if (link.hash || routeOf(link.pathname).page === 'unknown') return
    event.preventDefault()
    this.go(link.pathname + link.search)
  }
}

export const router = new Router()
