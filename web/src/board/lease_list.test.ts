import { describe, expect, it } from 'vitest'
import type { LeasedItem } from '../api/report_types.ts'
import { LeaseList } from './lease_list.svelte.ts'

const lease = (item: string, worker = 'ann') => ({ item, worker, since: '2026-01-01T00:00:00Z' }) as LeasedItem
const list = () => new LeaseList(({ item }) => Promise.resolve(item === 'a' ? 'yes' : null))
const rows = (leases: LeaseList) => leases.shown.map(({ leased, ended }) => leased.item + (ended ? ' ended' : ''))

describe('LeaseList', () => {
  it('follows the server', () => {
    const leases = list()
    leases.update([lease('a'), lease('b')])
    leases.update([lease('c')])
    expect(rows(leases)).toEqual(['c'])
  })

  it('keeps a pinned row after its label came, and says what the label was', async () => {
    const leases = list()
    leases.update([lease('a'), lease('b')])
    leases.pin(lease('a'), true)
    leases.update([lease('c'), lease('b')])
    expect(rows(leases)).toEqual(['a ended', 'c', 'b'])
    await new Promise((resolve) => setTimeout(resolve))
    expect(leases.shown[0]?.label).toBe('yes')
    leases.update([lease('d')])
    expect([rows(leases), leases.shown[0]?.label]).toEqual([['a ended', 'd'], 'yes'])
    leases.pin(lease('a'), false)
    expect(rows(leases)).toEqual(['d'])
  })

  it('moves no row while it is held', () => {
    const leases = list()
    leases.update([lease('a'), lease('b')])
    leases.hold(true)
    leases.update([lease('c'), lease('a')])
    expect(rows(leases)).toEqual(['a', 'b ended'])
    leases.hold(false)
    expect(rows(leases)).toEqual(['c', 'a'])
  })

  it('fills an empty list, even while it is held', () => {
    const leases = list()
    leases.hold(true)
    leases.update([lease('a')])
    expect(rows(leases)).toEqual(['a'])
  })
})
