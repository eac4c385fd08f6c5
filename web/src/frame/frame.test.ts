import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { address, routeOf, router } from './router.svelte.ts'
import { tokenIn } from './session.svelte.ts'

describe('routeOf', () => {
  it('finds the page of every address, for any id', () => {
    expect(routeOf('/')).toEqual({ page: 'list' })
    expect(routeOf('/new')).toEqual({ page: 'new' })
    expect(routeOf(address.archive)).toEqual({ page: 'archive' })
    expect(routeOf('/elsewhere')).toEqual({ page: 'unknown' })
    expect(routeOf('/campaigns')).toEqual({ page: 'unknown' })
    expect(routeOf('/campaigns/a/items/b/c')).toEqual({ page: 'unknown' })
    const id = fc.string({ minLength: 1 }).filter((text) => text !== '.' && text !== '..')
    const anything = fc.oneof(
      fc.string({ minLength: 1 }),
      fc.constantFrom('.', '..', 'a/b', '%2F', '100%', '</script>'),
    )
    fc.assert(
      fc.property(id, id, (campaign, other) => {
        expect(routeOf(address.board(campaign))).toEqual({ page: 'board', campaign })
        expect(routeOf(address.recruiting(campaign))).toEqual({ page: 'recruiting', campaign })
        expect(routeOf(address.compare(campaign, other))).toEqual({ page: 'compare', campaign, other })
      }),
    )
    fc.assert(
      fc.property(anything, (item) => {
        const { pathname } = new URL(address.item('c1', item), 'http://x')
        expect(pathname).toBe(address.item('c1', item))
        expect(pathname).not.toContain('%2F')
        expect(routeOf(pathname)).toEqual({ page: 'item', campaign: 'c1', item })
      }),
    )
  })
})

describe('router', () => {
  const before = location.href
  afterEach(() => {
    history.replaceState(null, '', before)
    router.route = routeOf(location.pathname)
  })

  it('keeps the choices of a page in its entry of the history', () => {
    router.go('/campaigns/a')
    router.keep({ q: 'a & b', state: '', order: 'given-up' }, ['', '7,1'])
    expect(location.pathname + location.search).toBe('/campaigns/a?q=a+%26+b&order=given-up')
    expect([router.query.get('q'), router.kept]).toEqual(['a & b', ['', '7,1']])
    router.keep({ q: '' })
    expect([location.search, router.kept]).toEqual(['', null])
    expect(router.route).toEqual({ page: 'board', campaign: 'a' })
  })

  it('follows links with their query', () => {
    const link = document.createElement('a')
    link.href = '/campaigns/b?q=x'
    document.body.append(link)
    link.addEventListener('click', router.follow)
    link.click()
    link.remove()
    expect([location.pathname, location.search]).toEqual(['/campaigns/b', '?q=x'])
  })
})

describe('tokenIn', () => {
  it('takes a token from the address and nothing else', () => {
    expect(tokenIn('#token=allot_abc')).toBe('allot_abc')
    expect(tokenIn('#token=abc')).toBe(null)
    expect(tokenIn('#allot_abc')).toBe(null)
    expect(tokenIn('')).toBe(null)
  })
})
