import { describe, expect, it } from 'vitest'
import { fileNameOf } from './save_file.ts'

describe('fileNameOf', () => {
  it('keeps letters and digits, with single dashes between them', () => {
    expect(fileNameOf('Tickets Q3: <b>é</b>!')).toBe('Tickets-Q3-b-é-b')
    expect(fileNameOf('reviews_2026')).toBe('reviews_2026')
    expect(fileNameOf(' … ')).toBe('campaign')
  })
})
