import { describe, expect, it } from 'vitest'
import type { ModelOffer, ModelRun } from '../api/model_types.ts'
import { activity, choose, isGoing, startTrouble } from './models.ts'

const offers: ModelOffer[] = [
  { model: 'large', endpoint: 'house', price: '0.01' },
  { model: 'small', endpoint: 'house', price: '0.001' },
  { model: 'far', endpoint: 'other', price: '1' },
]

describe('language models', () => {
  it('are chosen together if they are at one endpoint', () => {
    expect(choose(offers, [], 'small')).toEqual(['small'])
    expect(choose(offers, ['small'], 'large')).toEqual(['small', 'large'])
    expect(choose(offers, ['small', 'large'], 'small')).toEqual(['large'])
    expect(choose(offers, ['small', 'large'], 'far')).toEqual(['far'])
  })

  it('start with a model, a prompt and perhaps a cap', () => {
    expect(startTrouble(['small'], '{{classes}}', '')).toBeNull()
    expect(startTrouble(['small'], '{{classes}}', ' 2.50 ')).toBeNull()
    expect(startTrouble([], '{{classes}}', '')).toContain('at least one model')
    expect(startTrouble(['small'], ' ', '')).toContain('prompt')
    for (const cap of ['0', '-1', '2,50', 'x', '1e3']) expect(startTrouble(['small'], 'p', cap)).toContain(`“${cap}”`)
  })

  it('say what they wait for', () => {
    const run = { state: 'running', waits: null, oldest_request_seconds: 9 } as ModelRun
    expect(activity(run)).toEqual(['Models are labelling.'])
    expect(activity({ ...run, oldest_request_seconds: 45 })[1]).toBe('The oldest request has waited 45 seconds for its reply.')
    expect(activity({ ...run, waits: 'the campaign is paused' })).toEqual(['The models wait: the campaign is paused.'])
  })

  it('go on until they have ended', () => {
    const run = (state: ModelRun['state']) => ({ state }) as ModelRun
    expect([null, run('running'), run('stopping'), run('stopped'), run('finished'), run('failed')].map(isGoing)).toEqual([
      false,
      true,
      true,
      false,
      false,
      false,
    ])
  })
})
