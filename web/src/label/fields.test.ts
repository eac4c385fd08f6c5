import { describe, expect, it } from 'vitest'
import { amountText, isMedia, shownFields, sizeOf, sum } from './fields.ts'

describe('shownFields', () => {
  it('shows fields in their order, as the requester said, and text otherwise', () => {
    const page = { fields: { photo: 'image', secret: 'hidden', note: 'html' } } as const
    const fields = { photo: 'https://example.org/a.jpg', title: 'T', secret: 'x', note: '<b>n</b>', count: 3, none: null }
    expect(shownFields(fields, page)).toEqual([
      { name: 'photo', kind: 'image', value: 'https://example.org/a.jpg' },
      { name: 'title', kind: 'text', value: 'T' },
      { name: 'note', kind: 'html', value: '<b>n</b>' },
      { name: 'count', kind: 'text', value: '3' },
    ])
  })

  it('shows an address that is not to be loaded as the text it is', () => {
    for (const value of ['javascript:alert(1)', 'http://example.org/a.jpg', 'a.jpg', 'data:text/html,x']) {
      expect(shownFields({ photo: value }, { fields: { photo: 'image' } })[0]?.kind).toBe('text')
    }
  })
})

it('isMedia knows pictures from sounds', () => {
  expect(isMedia('data:image/png;base64,AA', 'image')).toBe(true)
  expect(isMedia('data:image/png;base64,AA', 'audio')).toBe(false)
  expect(isMedia('https://example.org/a', 'audio')).toBe(true)
})

it('amounts add up exactly and are written with cents', () => {
  expect(sum(sum(0.1, 0.2), '0.3')).toBe(0.6)
  expect(amountText(0.2)).toBe('0.20')
  expect(amountText('1200')).toBe('1,200')
  expect(amountText(0.0125)).toBe('0.0125')
})

it('short texts are large', () => {
  expect([sizeOf('a'), sizeOf('a'.repeat(300)), sizeOf('a'.repeat(3000))]).toEqual(['large', 'middle', 'small'])
})
