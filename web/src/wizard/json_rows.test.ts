import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { texts } from '../texts.ts'
import { readSheet } from './csv.ts'

const messages = texts.requester.wizard.csvFaults
const read = (text: string) => readSheet(text, messages)
const values = (text: string) => read(text).rows.map((row) => row.values)

describe('readJson', () => {
  it('reads an array of objects, and keeps the line on which each starts', () => {
    const sheet = read('[\n  {"id": "1", "text": "a, ] } b"},\n\n  {\n    "id": "2"\n  }, 3,\n {"id": oops}]\n')
    expect(sheet.kind).toBe('json')
    expect(sheet.columns).toEqual(['id', 'text'])
    expect(sheet.rows.map(({ line }) => line)).toEqual([2, 4])
    expect(sheet.faults.map(({ line }) => line)).toEqual([6, 7])
    expect(sheet.faults[0]?.reason).toBe(messages.notObject())
  })

  it('reads the array inside an object, and one object over several lines', () => {
    expect(read('{"version": 1,\n"items": [\n{"id": "a"}, {"id": "b"}]}').rows).toEqual([
      { line: 3, values: { id: 'a' } },
      { line: 3, values: { id: 'b' } },
    ])
    expect(values('{\n  "id": "a",\n  "tags": ["x"]\n}')).toEqual([{ id: 'a', tags: ['x'] }])
  })

  it('refuses an empty array', () => {
    expect(read('[]').faults).toEqual([{ line: 1, reason: messages.noRows() }])
  })

  it('flattens tasks of Label Studio, with answers that are marked as ground truth', () => {
    const choice = (text: string) => [{ type: 'choices', value: { choices: [text] } }]
    const tasks = [
      { id: 7, data: { text: 'Good', url: 'https://x.test' }, annotations: [{ ground_truth: true, result: choice('yes') }] },
      { id: 8, data: { text: 'Bad' }, annotations: [{ ground_truth: false, result: choice('no') }], meta: {} },
    ]
    expect(read(JSON.stringify(tasks))).toMatchObject({ kind: 'label-studio', columns: ['id', 'text', 'url', 'gold'] })
    expect(values(JSON.stringify(tasks))).toEqual([
      { id: 7, text: 'Good', url: 'https://x.test', gold: 'yes' },
      { id: 8, text: 'Bad' },
    ])
    expect(values('{"data": {"text": "a"}}\n{"data": {"text": "b"}}')).toEqual([{ text: 'a' }, { text: 'b' }])
  })

  it('flattens records of Argilla', () => {
    const records = [{ id: 'x', external_id: 'e1', fields: { text: 'Good' }, responses: {}, metadata: { a: 1 } }]
    expect(read(JSON.stringify(records)).kind).toBe('argilla')
    expect(values(JSON.stringify(records))).toEqual([{ id: 'e1', text: 'Good' }])
  })

  it('keeps objects of other shapes as they are', () => {
    const own = [{ id: 'a', fields: { text: 'x' } }, { id: 'b', text: 'y' }]
    expect(values(JSON.stringify(own))).toEqual(own)
  })

  it('reads any list of objects that was written as JSON', () => {
    const list = fc.array(fc.dictionary(fc.string(), fc.jsonValue()), { minLength: 1 })
    fc.assert(
      fc.property(list, fc.constantFrom(0, 2), (objects, indent) => {
        // Some objects have the shape of a task or a record.
        if (objects.every((one) => 'data' in one) || objects.every((one) => 'fields' in one)) return
        expect(JSON.stringify(values(JSON.stringify(objects, null, indent)))).toBe(JSON.stringify(objects))
      }),
    )
  })
})
