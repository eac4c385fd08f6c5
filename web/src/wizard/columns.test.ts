import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { NewItem } from '../api/report_types.ts'
import { texts } from '../texts.ts'
import { batches, fieldKinds, guessClasses, guessColumns, makeItems, type Column } from './columns.ts'
import { readSheet } from './csv.ts'

const messages = texts.requester.wizard.itemFaults
const read = (text: string) => readSheet(text, texts.requester.wizard.csvFaults)
const roles = (columns: Column[]) => Object.fromEntries(columns.map(({ name, role }) => [name, role]))

describe('guessColumns', () => {
  it('recognises common names and kinds of values', () => {
    const sheet = read(
      'ID;text;picture;sound;body;gold;truth;price\n' +
        'a;Hello;https://x.test/1.png;https://x.test/a.mp3;<p>Hi</p>;yes;no;0.1\n',
    )
    expect(roles(guessColumns(sheet))).toEqual({
      ID: 'id',
      text: 'text',
      picture: 'image',
      sound: 'audio',
      body: 'html',
      gold: 'gold',
      truth: 'truth',
      price: 'price',
    })
  })
  it('takes no column with repeated values for the id', () => {
    expect(roles(guessColumns(read('item,text\na,1\na,2\n')))).toEqual({ item: 'text', text: 'text' })
  })
})

describe('guessClasses', () => {
  it('finds the known answers, no before yes', () => {
    const sheet = read('id,text,gold\n1,a,yes\n2,b,no\n3,c,\n')
    expect(guessClasses(sheet, guessColumns(sheet))).toEqual(['no', 'yes'])
    const many = read('id,text,truth\n1,a,cat\n2,b,ape\n3,c,dog\n')
    expect(guessClasses(many, guessColumns(many))).toEqual(['ape', 'cat', 'dog'])
    expect(guessClasses(many, guessColumns(many), 2)).toEqual([])
  })
})

describe('makeItems', () => {
  const columns: Column[] = [
    { name: 'id', role: 'id' },
    { name: 'text', role: 'text' },
    { name: 'note', role: 'ignore' },
    { name: 'gold', role: 'gold' },
    { name: 'price', role: 'price' },
  ]
  const head = 'id,text,note,gold,price\n'
  const make = (rows: string) => makeItems(read(head + rows), columns, ['no', 'yes'], messages)

  it('makes items from the columns in use and ignores the others', () => {
    expect(make('a,Hello,x,yes,0.20\nb,World,y,,\n').items).toEqual([
      { id: 'a', fields: { text: 'Hello' }, gold: 'yes', price: '0.20' },
      { id: 'b', fields: { text: 'World' } },
    ])
  })

  it('names the line and the reason for every row that makes no item', () => {
    const made = make('a,Hello,,,\n,World,,,\na,Again,,,\nc,x,,maybe,\nd,x,,,cheap\ne,,,,\nf\n')
    expect(made.lines).toEqual([2])
    expect(made.faults).toEqual([
      { line: 3, reason: messages.emptyId() },
      { line: 4, reason: messages.repeatedId('a', 2) },
      { line: 5, reason: messages.unknownAnswer('gold', 'maybe', ['no', 'yes']) },
      { line: 6, reason: messages.badPrice('cheap') },
      { line: 7, reason: messages.nothingToShow() },
      { line: 8, reason: texts.requester.wizard.csvFaults.width(1, 5) },
    ])
  })

  it('names items by line number where no column is the id', () => {
    const sheet = read('text\nHello\n')
    expect(makeItems(sheet, [{ name: 'text', role: 'text' }], ['no', 'yes'], messages).items[0]?.id).toBe('line-2')
  })

  it('makes an item or a fault from every row', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a,b,,,', 'a,b,,yes,1', ',,,,', 'c,d,e,f,g', 'x', 'z,"q"')), (rows) => {
        const made = make(rows.map((row) => row + '\n').join(''))
        const lines = [...made.lines, ...made.faults.map((fault) => fault.line)].sort((a, b) => a - b)
        expect(lines).toEqual(rows.length === 0 ? [1] : rows.map((_, n) => n + 2))
      }),
    )
  })
})

describe('batches', () => {
  it('keep all items in order, and none is too large', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(400)), (sizes) => {
        const items: NewItem[] = sizes.map((size, n) => ({ id: String(n), fields: { text: 'x'.repeat(size) } }))
        const all = batches(items, 7, 2000)
        expect(all.flat()).toEqual(items)
        for (const batch of all) {
          expect(batch.length).toBeLessThanOrEqual(7)
          if (batch.length > 1) expect(JSON.stringify(batch).length).toBeLessThanOrEqual(2000)
        }
      }),
    )
  })
})

describe('fieldKinds', () => {
  it('names the fields that are not plain text', () => {
    expect(
      fieldKinds([
        { name: 'a', role: 'text' },
        { name: 'b', role: 'image' },
        { name: 'c', role: 'id' },
        { name: 'd', role: 'hidden' },
      ]),
    ).toEqual({ b: 'image', d: 'hidden' })
  })
})
