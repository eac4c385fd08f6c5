import { describe, expect, it } from 'vitest'
import { addAmounts, amountText, isMedia, shownFields, textSize } from './fields.ts'

describe('shownFields', () => {
  it('shows fields in order, each of its kind, and text by default', () => {
    const page = { fields: { photo: 'image', secret: 'hidden', note: 'html' } } as const
    const fields = { photo: 'https://example.org/a.jpg', title: 'T', secret: 'x', note: '<b>n</b>', count: 3, none: null }
    expect(shownFields(fields, page)).toEqual([
      { name: 'photo', kind: 'image', value: 'https://example.org/a.jpg' },
      { name: 'title', kind: 'text', value: 'T' },
      { name: 'note', kind: 'html', value: '<b>n</b>' },
      { name: 'count', kind: 'text', value: '3' },
    ])
  })

  it('shows an address that it may not load as text', () => {
    for (const value of ['javascript:alert(1)', 'http://example.org/a.jpg', 'a.jpg', 'data:text/html,x']) {
      expect(shownFields({ photo: value }, { fields: { photo: 'image' } })[0]?.kind).toBe('text')
    }
  })
})

it('isMedia tells pictures from audio', () => {
  expect(isMedia('data:image/png;base64,AA', 'image')).toBe(true)
  expect(isMedia('data:image/png;base64,AA', 'audio')).toBe(false)
  expect(isMedia('https://example.org/a', 'audio')).toBe(true)
})

it('amounts add up exactly and have two decimals', () => {
  expect(addAmounts(addAmounts(0.1, 0.2), '0.3')).toBe(0.6)
  expect(amountText(0.2)).toBe('0.20')
  expect(amountText('1200')).toBe('1,200.00')
  expect(amountText('1200', 'de')).toBe('1.200,00')
  expect(amountText(0.0125)).toBe('0.0125')
})

it('textSize is large for short texts', () => {
  expect([textSize('a'), textSize('a'.repeat(300)), textSize('a'.repeat(3000))]).toEqual(['large', 'middle', 'small'])
})
