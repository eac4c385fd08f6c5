import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { isOutboxEntry, Outbox, type OutboxEntry } from './outbox.ts'

const entry = (key: string, made: number): OutboxEntry => ({ key, what: 'label', item: key, label: 'yes', price: 1, made })

beforeEach(() => localStorage.clear())

describe('Outbox', () => {
  it('returns entries in the order they were made, also to another tab', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.tuple(fc.uuid(), fc.nat(50)), { selector: ([key]) => key }), (made) => {
        localStorage.clear()
        const box = new Outbox(localStorage, 'b', isOutboxEntry)
        for (const [key, time] of made) box.add(entry(key, time))
        const sorted = [...made].sort(([a, x], [b, y]) => x - y || (a < b ? -1 : 1)).map(([key]) => key)
        expect(new Outbox(localStorage, 'b', isOutboxEntry).entries().map((read) => read.key)).toEqual(sorted)
        expect(new Outbox(localStorage, 'other', isOutboxEntry).entries()).toEqual([])
        for (const [key] of made) box.remove(key)
        expect(localStorage).toHaveLength(0)
      }),
    )
  })

  it('keeps entries in memory where the storage is full', () => {
    const full = Object.create(localStorage, {
      setItem: {
        value: () => {
          throw new DOMException('full', 'QuotaExceededError')
        },
      },
    }) as Storage
    const box = new Outbox(full, 'b', isOutboxEntry)
    box.add(entry('a', 1))
    expect(box.has('a')).toBe(true)
    box.remove('a')
    expect(box.has('a')).toBe(false)
  })

  it('ignores damaged entries', () => {
    localStorage.setItem('allot.out.b.x', '{')
    localStorage.setItem('allot.out.b.y', '{"key": "y"}')
    localStorage.setItem('allot.out.b.z', 'null')
    expect(new Outbox(localStorage, 'b', isOutboxEntry).entries()).toEqual([])
  })
})
