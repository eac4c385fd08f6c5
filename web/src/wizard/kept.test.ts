import { afterEach, describe, expect, it } from 'vitest'
import { Draft } from './draft.svelte.ts'
import { DraftStore, forgetDrafts, kLargestKept } from './kept.ts'

afterEach(() => sessionStorage.clear())

const kFile = 'id,text,answer\na,Good,yes\nb,Bad,no\n'

/** A draft of which everything was changed. */
function worked(): Draft {
  const draft = new Draft()
  draft.take('reviews.csv', kFile)
  Object.assign(draft, { name: 'Mine', question: 'Is it?', instructions: '# Read', classes: ['no', 'yes', 'both'] })
  Object.assign(draft, { mode: 'money', labels: '7', money: '3.5', price: '0.5', most: '4', stop: '0.9' })
  Object.assign(draft, { policy: 'least-labelled', workers: 'ann\nbob', leaveOut: true })
  draft.columns = draft.columns.map((column) => (column.name === 'answer' ? { ...column, role: 'hidden' } : column))
  return draft
}

describe('a draft that is kept', () => {
  it('comes back as it was', () => {
    const store = new DraftStore(sessionStorage, 'allot_abc_secret')
    const draft = worked()
    expect(store.keepFile(draft.text ?? '')).toBe(true)
    expect(store.keep(draft.snapshot(2))).toBe(true)
    const kept = new DraftStore(sessionStorage, 'allot_abc_secret').get()
    if (!kept) throw new Error('nothing is kept')
    const again = new Draft()
    again.restore(kept.draft, kept.text)
    expect(again.snapshot(2)).toEqual(draft.snapshot(2))
    expect(again.sheet).toEqual(draft.sheet)
    expect(again.request).toEqual(draft.request)
    expect(again.items).toEqual(draft.items)
    expect(again.missing).toBe(null)
    expect(JSON.stringify(sessionStorage)).not.toContain('secret')
  })

  it('is nobody else’s, and gone when it is made or somebody signs out', () => {
    const store = new DraftStore(sessionStorage, 'allot_abc_secret')
    store.keep(worked().snapshot(0))
    store.keepFile(kFile)
    expect(new DraftStore(sessionStorage, 'allot_other_secret').get()).toBe(null)
    store.clear()
    expect(store.get()).toBe(null)
    store.keep(worked().snapshot(0))
    store.keepFile(kFile)
    sessionStorage.setItem('other', 'stays')
    forgetDrafts(sessionStorage)
    expect(Object.keys(sessionStorage)).toEqual(['other'])
  })

  it('without a file that is too large asks for that again, and keeps what was said about it', () => {
    const store = new DraftStore(sessionStorage, 'allot_abc_secret')
    const draft = worked()
    store.keepFile(kFile)
    const large = `${kFile}c,${'x'.repeat(kLargestKept)},no\n`
    draft.take('large.csv', large)
    draft.classes = ['no', 'maybe']
    expect(draft.text).toBe(null)
    expect(store.keepFile(large)).toBe(false)
    store.keep(draft.snapshot(3))
    const kept = store.get()
    expect(kept?.text).toBe(null)
    if (!kept) return
    const again = new Draft()
    again.restore(kept.draft, kept.text)
    expect([again.sheet, again.missing]).toEqual([null, 'large.csv'])
    again.take('large.csv', large)
    expect(again.missing).toBe(null)
    expect(again.snapshot(3)).toEqual(draft.snapshot(3))
    // Another file is another matter.
    const other = new Draft()
    other.restore(kept.draft, kept.text)
    other.take('other.csv', 'id,words\na,Good\n')
    expect(other.columns.map((column) => column.name)).toEqual(['id', 'words'])
  })

  it('that is being made goes on under its key, but not with a file that is chosen again', () => {
    const store = new DraftStore(sessionStorage, 'allot_abc_secret')
    const draft = worked()
    draft.key = 'k1'
    store.keep(draft.snapshot(3))
    for (const text of [kFile, null]) {
      const kept = store.get()
      if (!kept) throw new Error('nothing is kept')
      const again = new Draft()
      again.restore(kept.draft, text)
      expect(again.key).toBe(text === null ? null : 'k1')
    }
  })

  it('does without a browser that keeps anything, and without what it cannot read', () => {
    const none = new DraftStore(null, 'allot_abc_secret')
    expect([none.keepFile('a'), none.keep(worked().snapshot(0)), none.get()]).toEqual([false, false, null])
    sessionStorage.setItem('allot.draft.abc', '{"fileName": 7}')
    expect(new DraftStore(sessionStorage, 'allot_abc_secret').get()).toBe(null)
    sessionStorage.setItem('allot.draft.abc', '{')
    expect(new DraftStore(sessionStorage, 'allot_abc_secret').get()).toBe(null)
  })
})
