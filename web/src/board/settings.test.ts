import { describe, expect, it } from 'vitest'
import type { Campaign } from '../api/report_types.ts'
import { changesOf, formOf, shortLease, troublesOf } from './settings.ts'

const campaign: Campaign = {
  id: 'c',
  name: 'Tickets',
  owner: 'o',
  created: '2026-01-01T00:00:00Z',
  twin_of: null,
  currency: null,
  archived: false,
  phase: 'running',
  reason: null,
  budget: 10,
  spent: 1,
  reserved: 0,
  left: 9,
  items: 5,
  gold: 0,
  workers: 1,
  leases: 0,
  labels: 1,
  events: 4,
  options: {
    classes: ['no', 'yes'],
    price: 1,
    policy: 'budget-kg',
    lease: '600s',
    labels_per_item: null,
    labels_per_worker: 20,
    gold_rate: 0.07,
    people_sample: null,
    stop: ['accuracy:0.95'],
  },
  page: { question: 'Is it?', instructions: '', fields: {} },
}

describe('settings', () => {
  it('send nothing if nothing changed', () => {
    expect(changesOf(campaign, formOf(campaign))).toBeNull()
  })
  it('send only what changed', () => {
    const form = formOf(campaign)
    form.lease = '90s'
    form.labelsPerWorker = ' '
    form.goldRate = '20'
    form.stop = ''
    form.classes = [...form.classes].reverse()
    form.currency = 'eur'
    expect(changesOf(campaign, form)).toEqual({
      lease: '90s',
      labels_per_worker: 'any',
      gold_rate: 0.2,
      stop: [],
      page: {
        classes: [
          { class: 'yes', name: '', example: '' },
          { class: 'no', name: '', example: '' },
        ],
        currency: 'EUR',
      },
    })
  })
  it('name the fields that are wrong', () => {
    const form = { ...formOf(campaign), name: ' ', labelsPerItem: '0', labelsPerWorker: '1.5', goldRate: '', currency: 'euro' }
    expect(Object.keys(troublesOf(form)).sort()).toEqual(['currency', 'goldRate', 'labelsPerItem', 'labelsPerWorker', 'name'])
    expect(troublesOf(formOf(campaign))).toEqual({})
  })
  it('write leases in the largest unit that fits', () => {
    expect(['600s', '90s', '7200s', '86400s', '10m'].map(shortLease)).toEqual(['10m', '90s', '2h', '1d', '10m'])
  })
})
