import { describe, expect, it } from 'vitest'
import { evidence } from './evidence.ts'
import { isToday, withUnsent } from './verdicts.ts'

describe('evidence', () => {
  it('lists workers by class, the most probable class first', () => {
    const labels = [
      { worker: 'ann', label: 'b' },
      { worker: 'bob', label: 'a' },
      { worker: 'cat', label: 'b' },
    ]
    expect(evidence({ probabilities: { a: 0.2, b: 0.7, c: 0.1 }, labels })).toEqual([
      { name: 'b', probability: 0.7, workers: ['ann', 'cat'] },
      { name: 'a', probability: 0.2, workers: ['bob'] },
      { name: 'c', probability: 0.1, workers: [] },
    ])
  })

  it('leaves out improbable classes without labels', () => {
    const probabilities = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`c${n}`, 1 / (n + 2)]))
    const shown = evidence({ probabilities, labels: [{ worker: 'ann', label: 'c25' }] })
    expect(shown.map(({ name }) => name)).toEqual([...Array.from({ length: 12 }, (_, n) => `c${n}`), 'c25'])
  })
})

describe('withUnsent', () => {
  const reported = (item: string, time: string) => ({
    item,
    answer: 'yes',
    reviewer: 'rae',
    reason: '',
    time,
    believed: null,
    stated: null,
  })

  it('adds verdicts on their way and removes those taken back', () => {
    const made = Date.parse('2026-01-03T00:00:00Z')
    const own = withUnsent(
      [reported('a', '2026-01-01T00:00:00Z'), reported('b', '2026-01-02T00:00:00Z')],
      [
        { key: '1', what: 'undo', item: 'a', made },
        { key: '2', what: 'verdict', item: 'c', answer: 'no', made },
      ],
    )
    expect(own.map(({ item, answer }) => item + answer)).toEqual(['cno', 'byes'])
  })
})

describe('isToday', () => {
  it('compares days of the local time', () => {
    const now = new Date(2026, 0, 2, 0, 30)
    expect(isToday(new Date(2026, 0, 2, 23, 59).getTime(), now)).toBe(true)
    expect(isToday(new Date(2026, 0, 1, 23, 59).getTime(), now)).toBe(false)
  })
})
