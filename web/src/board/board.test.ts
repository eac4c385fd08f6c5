import fc from 'fast-check'
import type { Requester } from '../api/requester.ts'
import { budgetTrouble } from './budget.ts'
import { ownLink } from './own_link.ts'
import { describe, expect, it } from 'vitest'
import type { HistoryEvent } from '../api/report_types.ts'
import { texts } from '../texts.ts'
import { bestAnswer, labelOutlook } from './label_outlook.ts'
import { parseNames } from './links.ts'
import { columnNames, rowNames, rowsOf, shownMap, sumMaps } from './map.ts'
import { kAdaptive, kEqual, kOfferedPolicies, policyName } from './policies.ts'
import { probabilityHistory } from './probability_history.ts'

describe('labelOutlook', () => {
  it('tells whether a label would change the answer', () => {
    const probabilities = { no: 0.4, yes: 0.6 }
    const outlook = {
      no: { chance: 0.45, then: { no: 0.7, yes: 0.3 } },
      yes: { chance: 0.55, then: { no: 0.2, yes: 0.8 } },
    }
    expect(labelOutlook({ probabilities, why: { reason: 'chosen', value: 0.1, outlook } })).toEqual({
      now: { answer: 'yes', probability: 0.6 },
      outcomes: [
        { label: 'yes', chance: 0.55, answer: 'yes', probability: 0.8 },
        { label: 'no', chance: 0.45, answer: 'no', probability: 0.7 },
      ],
      canChange: true,
    })
    expect(labelOutlook({ probabilities, why: { reason: 'chosen', value: null, outlook: {} } })?.canChange).toBe(false)
    expect(labelOutlook({ probabilities: {}, why: { reason: 'chosen', value: null, outlook: {} } })).toBe(null)
  })
})

describe('bestAnswer', () => {
  it('has the largest probability', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ minLength: 1 }), fc.double({ min: 0, max: 1, noNaN: true })), (all) => {
        const values = Object.values(all)
        expect(bestAnswer(all)?.probability ?? 0).toBe(values.length ? Math.max(...values) : 0)
      }),
    )
  })
})

describe('map', () => {
  it('names cells by their lower edge', () => {
    expect(columnNames([0.5, 0.75, 0.995, 1])).toEqual(['50%', '75%', '99.5%'])
    expect(rowNames([0, 1, 2, 5, 10])).toEqual(['0', '1', '2–4', '5–9'])
  })
  it('adds cell by cell, and draws labels upwards', () => {
    const open = [
      [1, 2],
      [0, 3],
    ]
    const settled = [
      [0, 4],
      [5, 0],
    ]
    const map = { certainty: [0.5, 0.75, 1], labels: [0, 1, 2], open, settled }
    expect(shownMap(map, sumMaps(open, settled))).toEqual({
      columns: ['50%', '75%'],
      rows: ['0', '1', '2'],
      counts: [
        [1, 5],
        [6, 3],
        [0, 0],
      ],
    })
    expect(rowsOf(map)).toBe(3)
    expect(shownMap(map, open, { ...map, labels: [0, 1, 2, 10, 15] })).toMatchObject({
      rows: ['0', '1', '2–9', '10–14'],
      counts: [
        [1, 0],
        [2, 3],
        [0, 0],
        [0, 0],
      ],
    })
  })
})

describe('probabilityHistory', () => {
  const event = (what: string, yes: number | null): HistoryEvent => ({
    time: '2026-01-01T00:00:00Z',
    what,
    worker: 'ann',
    label: null,
    price: null,
    detail: null,
    probabilities: yes === null ? null : { no: 1 - yes, yes },
  })
  it('has one line per class and one point per label', () => {
    const lines = probabilityHistory([
      event('leased', null),
      event('labelled', 0.6),
      event('skipped', 0.6),
      event('labelled', 0.75),
    ])
    expect(lines.map((line) => line.name)).toEqual(['yes', 'no'])
    expect(lines[0]?.points).toEqual([
      { x: 1, y: 0.6 },
      { x: 2, y: 0.75 },
    ])
    expect(new Set(lines.map((line) => line.dash)).size).toBe(2)
    expect(probabilityHistory([])).toEqual([])
  })
})

describe('parseNames', () => {
  it('reads one name per line, each once', () => {
    expect(parseNames(' ann \n\nbob\n')).toEqual({ ok: true, names: ['ann', 'bob'] })
    expect(parseNames('ann\nann')).toEqual({ ok: false, trouble: texts.requester.wizard.workers.repeatedName('ann') })
    expect(parseNames(Array.from({ length: 501 }, (_, n) => `w${n}`).join('\n')).ok).toBe(false)
  })
})

describe('policies', () => {
  it('all have a description', () => {
    for (const policy of [kAdaptive, kEqual, ...kOfferedPolicies.map((offered) => offered.policy)]) {
      expect(texts.requester.policies[policy]?.description).toBeTruthy()
    }
    expect(policyName('cvar:0.3')).toBe('cvar:0.3')
  })
})

describe('budgetTrouble', () => {
  it('names the value and what is expected', () => {
    for (const good of ['12', '12.5', ' 7.000000001 ', '9000', '7']) expect(budgetTrouble(good, 7)).toBe(null)
    for (const bad of ['much', '1,000', '-3', '1e3', '0x10', '0', '12.1234567891', 'NaN']) {
      expect(budgetTrouble(bad, 7)).toBe(texts.requester.board.dialogs.badBudget(bad))
    }
    expect(budgetTrouble(' ', 7)).toBe('Enter an amount, such as 120 or 49.50.')
    expect(budgetTrouble('6.99', 7)).toBe('At least 7: that much is already spent or reserved.')
  })
})

describe('ownLink', () => {
  it('is created once per campaign, for the worker “you”', async () => {
    const asked: string[] = []
    const link = (campaign: string, worker: string) => {
      asked.push(`${campaign} ${worker}`)
      return Promise.resolve({ link: `/label/${campaign}#allot_w` })
    }
    const server = { client: { token: 'allot_t' }, link } as unknown as Requester
    const first = await ownLink(server, 'c1')
    expect(first).toBe(`${location.origin}/label/c1#allot_w`)
    expect(await ownLink(server, 'c1')).toBe(first)
    await ownLink(server, 'c2')
    expect(asked).toEqual(['c1 you', 'c2 you'])
  })
})
