import { describe, expect, it } from 'vitest'
import { texts } from '../texts.ts'
import { readSheet } from './csv.ts'
import { existingLabels } from './existing_labels.ts'

const read = (text: string) => existingLabels(readSheet(text, texts.requester.wizard.csvFaults))

describe('existing labels', () => {
  it('are read under the names that tools use', () => {
    expect(read('task,performer,label\n1,ann,yes\n2,bob,\n3,cat,no\n')).toEqual({
      ok: true,
      labels: [
        { item: '1', worker: 'ann', label: 'yes' },
        { item: '3', worker: 'cat', label: 'no' },
      ],
    })
    expect(read('{"item": 7, "worker": "ann", "label": "yes"}\n{"item": 8, "worker": "bob", "label": "no"}\n')).toMatchObject({
      labels: [{ item: '7' }, { item: '8' }],
    })
  })
  it('need three columns and a label', () => {
    expect(read('id,text\n1,Good\n2,Bad\n')).toMatchObject({ ok: false, trouble: expect.stringContaining('worker, label') as string })
    expect(read('item,worker,label\n1,ann,\n2,bob,\n')).toMatchObject({ ok: false })
  })
})
