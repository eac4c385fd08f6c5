import { describe, expect, it } from 'vitest'
import { decodeFile } from './decode.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const latin = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0))

describe('decodeFile', () => {
  it('reads UTF-8, with and without a mark', () => {
    expect(decodeFile(bytes('id,text\na,Die Tür'))).toEqual({ text: 'id,text\na,Die Tür', encoding: 'UTF-8' })
    expect(decodeFile(bytes('\uFEFFa'))).toMatchObject({ encoding: 'UTF-8' })
    expect(decodeFile(new Uint8Array())).toEqual({ text: '', encoding: 'UTF-8' })
  })

  it('reads UTF-16 in both orders', () => {
    expect(decodeFile(latin('\xff\xfeT\x00\xfc\x00'))).toEqual({ text: 'Tü', encoding: 'UTF-16' })
    expect(decodeFile(latin('\xfe\xff\x00T\x00\xfc'))).toEqual({ text: 'Tü', encoding: 'UTF-16' })
  })

  it('recognises Latin-1 and Windows-1252', () => {
    expect(decodeFile(latin('a,Die T\xfcr'))).toEqual({ text: 'a,Die Tür', encoding: 'Latin-1' })
    // Some versions of Node decode the bytes 80 to 9F as Latin-1; the tests in the browser check the text.
    expect(decodeFile(latin('5 \x80, caf\xe9'))).toMatchObject({ encoding: 'Windows-1252' })
  })

  it('names files that hold no text', () => {
    expect(decodeFile(latin('PK\x03\x04....xl/workbook.xml'))).toEqual({ binary: 'excel' })
    expect(decodeFile(latin('PK\x03\x04....notes.csv'))).toEqual({ binary: 'zip' })
    expect(decodeFile(latin('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'))).toEqual({ binary: 'excel' })
    expect(decodeFile(latin('%PDF-1.7'))).toEqual({ binary: 'pdf' })
    expect(decodeFile(latin('PAR1'))).toEqual({ binary: 'parquet' })
    expect(decodeFile(latin('SQLite format 3\x00'))).toEqual({ binary: 'sqlite' })
    expect(decodeFile(latin('\x1f\x8b\x08'))).toEqual({ binary: 'gzip' })
    expect(decodeFile(latin('a\x00b'))).toEqual({ binary: 'other' })
  })
})
