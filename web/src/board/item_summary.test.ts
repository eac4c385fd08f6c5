import { describe, expect, it } from 'vitest'
import { hasMedia, summaryOf, textOfHtml } from './item_summary.ts'

const kPicture = 'data:image/svg+xml;utf8,<svg/>'

describe('summaryOf', () => {
  it('shows texts, and a picture beside them', () => {
    const fields = { picture: kPicture, text: 'Late', more: 'again', secret: 'x', body: '<p>no</p>' }
    const kinds = { picture: 'image', secret: 'hidden', body: 'html' } as const
    expect(summaryOf(fields, kinds)).toEqual({ text: 'Late · again', image: kPicture })
  })

  it('shows HTML as its text, if there is no other', () => {
    const html = '<p>One &amp; <b>two</b></p><script>alert(1)</script><ul><li>three</li><li>four</li></ul>'
    expect(summaryOf({ html }, { html: 'html' })).toEqual({ text: 'One & two three four', image: null })
  })

  it('shows no addresses that cannot be loaded, and no data', () => {
    expect(summaryOf({ a: 'http://x.test/1.png' }, { a: 'image' })).toEqual({ text: '', image: null })
    expect(summaryOf({ a: kPicture, b: 'text' }, undefined)).toEqual({ text: 'text', image: null })
  })
})

describe('textOfHtml', () => {
  it('runs nothing', () => {
    expect(textOfHtml('<img src=x onerror="document.title=1">hello')).toBe('hello')
    expect(document.title).not.toBe('1')
  })
})

describe('hasMedia', () => {
  it('holds for pictures, sounds and HTML', () => {
    expect([hasMedia(undefined), hasMedia({ a: 'hidden' }), hasMedia({ a: 'text', b: 'html' })]).toEqual([false, false, true])
  })
})
