import { describe, expect, it } from 'vitest'
import { Draft } from './draft.svelte.ts'
import { kTemplates } from './templates.ts'

const file = (count: number, answers: string[]) =>
  'id,text,gold\n' + Array.from({ length: count }, (_, n) => `i${n},Item ${n},${answers[n] ?? ''}\n`).join('')

describe('choosing another file', () => {
  it('fills every field again that the requester has not changed', () => {
    const draft = new Draft()
    draft.loadFile('first_file.csv', file(200, ['a', 'b', 'c']))
    expect([draft.name, draft.classes, draft.labels]).toEqual(['', ['a', 'b', 'c'], '985'])
    draft.loadFile('second.csv', file(30, []))
    expect([draft.name, draft.classes, draft.labels]).toEqual(['', ['', ''], '150'])
  })

  it('keeps what the requester changed', () => {
    const draft = new Draft()
    draft.loadFile('first.csv', file(20, ['a', 'b']))
    draft.name = 'Mine'
    draft.classes.push('c')
    draft.labels = '77'
    const again = new Draft()
    again.restore(JSON.parse(JSON.stringify(draft.snapshot(1))) as ReturnType<Draft['snapshot']>, draft.text)
    again.loadFile('second.csv', file(200, ['x', 'y']))
    expect([again.name, again.classes, again.labels]).toEqual(['Mine', ['a', 'b', 'c'], '77'])
    expect(again.unpaidItems).toBe(198 - 77)
  })

  it('takes the question of the example away again', () => {
    const draft = new Draft()
    draft.loadExample()
    expect([draft.name, draft.question, draft.classes]).toEqual(['Customer messages', 'Does the writer ask for help?', ['no', 'yes']])
    draft.loadFile('first.csv', file(20, ['a']))
    expect([draft.name, draft.question, draft.classes]).toEqual(['', '', ['a', '']])
    expect(draft.classTrouble).not.toBeNull()
  })

  it('proposes the budget that “5 per item” gives: known items are not counted', () => {
    const draft = new Draft()
    draft.loadExample()
    expect([draft.openItems, draft.goldItems, draft.labels, draft.labelsPerItem]).toEqual([6, 2, '30', 5])
  })

  it('reads a decimal comma, but no comma that can mean thousands', () => {
    const draft = new Draft()
    for (const [text, price] of [
      ['0,05', 0.05],
      ['0,125', 0.125],
      ['2,5', 2.5],
      ['1,000', NaN],
      ['0.05', 0.05],
    ] as const) {
      draft.price = text
      expect([text, draft.labelPrice]).toEqual([text, price])
    }
    draft.price = '0,05'
    expect(draft.request.price).toBe('0.05')
  })

  it('lets the browser go no further than the choices allow', () => {
    const draft = new Draft()
    expect(draft.furthest).toBe(0)
    draft.loadFile('first.csv', file(20, ['a']))
    expect(draft.furthest).toBe(1)
    draft.classes[1] = 'b'
    draft.name = 'Mine'
    expect(draft.furthest).toBe(3)
  })

  it('asks for at least one label per item', () => {
    const draft = new Draft()
    draft.loadFile('first.csv', file(20, []))
    for (const [labels, unpaid] of [['20', 0], ['19', 1], ['x', 0], ['100', 0]] as const) {
      draft.labels = labels
      expect(draft.unpaidItems).toBe(unpaid)
    }
  })
})

describe('budget warnings', () => {
  const warnings = (labels: string, limit = '') => {
    const draft = new Draft()
    draft.loadFile('first.csv', file(10, []))
    Object.assign(draft, { labels, labelLimit: limit })
    return draft.budgetWarnings
  }

  it('tell what is allowed but probably not meant', () => {
    expect([warnings('50'), warnings('250'), warnings('50', '5'), warnings('0'), warnings('50', 'x')]).toEqual([[], [], [], [], []])
    expect(warnings('500')[0]).toContain('50 labels per item')
    expect(warnings('9')[0]).toContain('1 item gets no label')
    expect(warnings('50', '3')[0]).toContain('at most 30 labels')
    expect(warnings('10', '12')[0]).toContain('12 labels in all')
  })
})

describe('the currency', () => {
  it('is part of the page, and stays in a stored draft', () => {
    const draft = new Draft()
    draft.loadExample()
    expect(draft.request.page).not.toHaveProperty('currency')
    draft.currency = 'EUR'
    const again = new Draft()
    again.restore(JSON.parse(JSON.stringify(draft.snapshot(2))) as ReturnType<Draft['snapshot']>, draft.text)
    expect(again.request.page).toMatchObject({ currency: 'EUR' })
  })
})

describe('the header row', () => {
  it('can be set either way, and the guess belongs to its file', () => {
    const draft = new Draft()
    draft.loadFile('bare.csv', '1,Parcel one is late.\n2,Parcel two is late.\n')
    expect([draft.sheet?.header, draft.items.items.length, draft.labels]).toEqual([false, 2, '10'])
    draft.setHeader(true)
    expect([draft.sheet?.header, draft.items.items.length, draft.labels]).toEqual([true, 1, '5'])
    draft.loadFile('named.csv', file(3, []))
    expect([draft.sheet?.header, draft.items.items.length]).toEqual([true, 3])
  })
})

describe('templates', () => {
  it.each(kTemplates.map((template) => [template.name, template] as const))('%s can be used at once', (_, template) => {
    const draft = new Draft()
    draft.applyTemplate(template)
    expect(draft.fileFaults).toEqual([])
    expect(draft.items.faults).toEqual([])
    expect(draft.items.items.length).toBeGreaterThanOrEqual(10)
    expect([draft.columnTrouble, draft.classTrouble, draft.budgetTrouble]).toEqual([null, null, null])
    expect(draft.request).toMatchObject({ name: template.name, classes: template.classes, page: { question: template.question } })
    // Every template shows how known answers look.
    expect(draft.items.items.some((item) => item.gold !== undefined)).toBe(true)
  })

  it('keep their question for a file that follows', () => {
    const draft = new Draft()
    const [template] = kTemplates
    if (!template) throw new Error('there is no template')
    draft.applyTemplate(template)
    draft.loadFile('mine.csv', file(7, []))
    expect(draft.question).toBe(template.question)
    expect(draft.classes).toEqual(template.classes)
    expect(draft.name).toBe(template.name)
    draft.loadFile('other.csv', file(7, ['left', 'right']))
    expect(draft.classes).toEqual(['left', 'right'])
  })
})

describe('language models first', () => {
  const draft = (items: number) => {
    const one = new Draft()
    one.loadFile('first.csv', file(items, ['a', 'b']))
    return one
  }

  it('ask for a sample of people’s labels, and stay in a stored draft', () => {
    const people = draft(200)
    expect(people.request).not.toHaveProperty('people_sample')
    people.modelsFirst = true
    expect(people.request.people_sample).toBe(50)
    people.peopleSample = '20'
    const again = new Draft()
    again.restore(JSON.parse(JSON.stringify(people.snapshot(3))) as ReturnType<Draft['snapshot']>, people.text)
    expect(again.request.people_sample).toBe(20)
    expect(draft(12).usualSample).toBe(10)
    people.labels = '20'
    expect(people.usualSample).toBe(6)
    people.labels = '2'
    expect(people.usualSample).toBe(1)
  })

  it('refuse a sample that is none, or that the budget does not pay for', () => {
    const models = draft(20)
    models.modelsFirst = true
    expect(models.modelsTrouble).toBeNull()
    for (const text of ['0', '19', '1.5', 'x']) {
      models.peopleSample = text
      expect(models.modelsTrouble).toContain('1 to 18')
    }
    models.peopleSample = '18'
    expect(models.modelsTrouble).toBeNull()
    models.labels = '17'
    expect(models.modelsTrouble).toContain('1 to 17')
  })

  it('need a way of choosing that knows groups', () => {
    const models = draft(20)
    models.policy = 'label-price'
    expect(models.modelsTrouble).toBeNull()
    models.modelsFirst = true
    expect(models.modelsTrouble).toContain('cannot know')
  })
})
