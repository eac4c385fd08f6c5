import { describe, expect, it } from 'vitest'
import { texts } from '../texts.ts'
import { guessColumns } from './columns.ts'
import { readSheet } from './csv.ts'
import { looksLikeHeader } from './header.ts'

const read = (text: string, header?: boolean) => readSheet(text, texts.requester.wizard.csvFaults, header)

describe('looksLikeHeader', () => {
  it.each([
    [['id', 'text'], [['1', 'Late']]],
    [['Kunde', 'Nachricht'], [['Meier', 'Wo bleibt es?']]],
    [['id', 'text', '2019'], [['1', 'Late', '4']]],
    [['Text'], [['Late'], ['Early']]],
  ])('takes %j for names', (first, rows) => {
    expect(looksLikeHeader(first, rows)).toBe(true)
  })

  it.each([
    [['1', 'Parcel 1 is late'], [['2', 'Parcel 2 is late']]],
    [['a', 'Where is my parcel?'], [['b', 'Here.']]],
    [['x1', 'https://x.test/1.png'], [['x2', 'https://x.test/2.png']]],
    [['m1', 'late', 'yes'], [['m2', 'early', 'yes']]],
    [['7', 'Date night'], [['8', 'Day off']]],
  ])('takes %j for an item', (first, rows) => {
    expect(looksLikeHeader(first, rows)).toBe(false)
  })
})

describe('a file without names', () => {
  const text = '1,"Parcel 1 is late"\n2,"Parcel 2 is late, too"\n'
  it('loses no item, and its column of numbers holds the ids', () => {
    const sheet = read(text)
    expect(sheet.header).toBe(false)
    expect(sheet.rows.map(({ line }) => line)).toEqual([1, 2])
    expect(guessColumns(sheet)).toEqual([
      { name: 'column 1', role: 'id' },
      { name: 'column 2', role: 'text' },
    ])
  })
  it('can be read as the requester says', () => {
    expect(read(text, true)).toMatchObject({ header: true, columns: ['1', 'Parcel 1 is late'] })
    expect(read('id,text\na,b\n', false).rows).toHaveLength(2)
  })
})
