import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { texts } from '../texts.ts'
import { readSheet, separatorOf } from './csv.ts'

const messages = texts.requester.wizard.csvFaults
const read = (text: string) => readSheet(text, messages)

describe('readSheet', () => {
  it('reads CSV with quotes, and keeps the line on which each row starts', () => {
    const sheet = read('id,text\r\na,"One, two"\r\nb,"He said ""hi""\nand left"\r\n\r\nc,plain\r\n')
    expect(sheet.columns).toEqual(['id', 'text'])
    expect(sheet.rows).toEqual([
      { line: 2, values: { id: 'a', text: 'One, two' } },
      { line: 3, values: { id: 'b', text: 'He said "hi"\nand left' } },
      { line: 6, values: { id: 'c', text: 'plain' } },
    ])
    expect(sheet.faults).toEqual([])
  })

  it('names the line of a row with too few or too many values, and continues', () => {
    const sheet = read('id,text\na,one\nb\nc,three,more\nd,four\n')
    expect(sheet.rows.map((row) => row.line)).toEqual([2, 5])
    expect(sheet.faults).toEqual([
      { line: 3, reason: 'the row has 1 value; expected 2' },
      { line: 4, reason: 'the row has 3 values; expected 2' },
    ])
  })

  it('names the line of a quote that is never closed, or closed too early', () => {
    const sheet = read('id,text\na,"one\nb,two\n')
    expect(sheet.faults).toEqual([{ line: 2, reason: messages.openQuote() }])
    expect(sheet.rows).toEqual([{ line: 3, values: { id: 'b', text: 'two' } }])
    expect(read('id,text\na,"one"two\n').faults).toEqual([{ line: 2, reason: messages.textAfterQuote() }])
  })

  it('reads JSON Lines, and names the lines that are not JSON objects', () => {
    const sheet = read('\uFEFF{"id": 1, "text": "a"}\n\n{"id": 2, "more": [1]}\nnot json\n[1]\n')
    expect(sheet.kind).toBe('jsonl')
    expect(sheet.columns).toEqual(['id', 'text', 'more'])
    expect(sheet.rows.map((row) => row.line)).toEqual([1, 3])
    expect(sheet.faults.map((fault) => fault.line)).toEqual([4, 5])
  })

  it('refuses a file without rows or with unusable column names', () => {
    expect(read(' \n').faults).toEqual([{ line: 1, reason: messages.empty() }])
    expect(read('id,text\n').faults).toEqual([{ line: 1, reason: messages.noRows() }])
    expect(read('id,id,\n1,2,3\n').faults.map((fault) => fault.reason)).toEqual([messages.repeatedColumn('id'), messages.unnamedColumn(3)])
  })

  it('reads any table that was written as CSV', () => {
    const field = fc.string({ unit: fc.constantFrom('a', 'é', '"', ',', ';', '\n', ' ', '\t') })
    const quoted = (value: string) => `"${value.replaceAll('"', '""')}"`
    fc.assert(
      fc.property(
        fc.array(fc.tuple(field, field, field), { minLength: 1 }),
        fc.constantFrom(',', ';', '\t'),
        fc.constantFrom('\n', '\r\n'),
        fc.boolean(),
        (rows, separator, end, final) => {
          const lines = [['x', 'y', 'z'], ...rows].map((row) => row.map(quoted).join(separator))
          const sheet = read(lines.join(end) + (final ? end : ''))
          expect(sheet.faults).toEqual([])
          expect(sheet.rows.map(({ values }) => [values.x, values.y, values.z])).toEqual(rows)
          let line = 2
          for (const [n, row] of rows.entries()) {
            expect(sheet.rows[n]?.line).toBe(line)
            line += 1 + row.join('').split('\n').length - 1
          }
        },
      ),
    )
  })
})

describe('separatorOf', () => {
  it('ignores separators inside quotes', () => {
    expect(separatorOf('"a,b,c";d')).toBe(';')
    expect(separatorOf('a\tb')).toBe('\t')
    expect(separatorOf('a')).toBe(',')
  })
})
