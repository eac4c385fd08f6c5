import { afterEach, describe, expect, it } from 'vitest'
import { Draft } from './draft.svelte.ts'
import { DraftStore, forgetDrafts, kMaxStoredFile } from './draft_store.ts'

afterEach(() => sessionStorage.clear())

const kFile = 'id,text,answer\na,Good,yes\nb,Bad,no\n'

/** A draft in which every choice was changed. */
function changedDraft(): Draft {
  const draft = new Draft()
  draft.loadFile('reviews.csv', kFile)
  Object.assign(draft, { name: 'Mine', question: 'Is it?', instructions: '# Read', classes: ['no', 'yes', 'both'] })
  Object.assign(draft, { mode: 'money', labels: '7', money: '3.5', price: '0.5', labelLimit: '4', stop: '0.9' })
  Object.assign(draft, { policy: 'least-labelled', workers: 'ann\nbob', skipRows: true })
  draft.columns = draft.columns.map((column) => (column.name === 'answer' ? { ...column, role: 'hidden' } : column))
  return draft
}

describe('DraftStore', () => {
  it('restores a draft as it was', () => {
    const store = new DraftStore(sessionStorage, 'allot_abc_secret')
    const draft = changedDraft()
    expect(store.saveFile(draft.text ?? '')).toBe(true)
    expect(store.save(draft.snapshot(2))).toBe(true)
    const stored = new DraftStore(sessionStorage, 'allot_abc_secret').get()
    if (!stored) throw new Error('nothing is stored')
    const again = new Draft()
    again.restore(stored.draft, stored.text)
    expect(again.snapshot(2)).toEqual(draft.snapshot(2))
    expect(again.sheet).toEqual(draft.sheet)
    expect(again.request).toEqual(draft.request)
    expect(again.items).toEqual(draft.items)
    expect(again.missing).toBe(null)
    expect(JSON.stringify(sessionStorage)).not.toContain('secret')
  })

  it('hides a draft from other tokens, and forgets it when cleared or on signing out', () => {
    const store = new DraftStore(sessionStorage, 'allot_abc_secret')
    store.save(changedDraft().snapshot(0))
    store.saveFile(kFile)
    expect(new DraftStore(sessionStorage, 'allot_other_secret').get()).toBe(null)
    store.clear()
    expect(store.get()).toBe(null)
    store.save(changedDraft().snapshot(0))
    store.saveFile(kFile)
    sessionStorage.setItem('other', 'stays')
    forgetDrafts(sessionStorage)
    expect(Object.keys(sessionStorage)).toEqual(['other'])
  })

  it('asks again for a file that is too large, and keeps the choices about it', () => {
    const store = new DraftStore(sessionStorage, 'allot_abc_secret')
    const draft = changedDraft()
    store.saveFile(kFile)
    const large = `${kFile}c,${'x'.repeat(kMaxStoredFile)},no\n`
    draft.loadFile('large.csv', large)
    draft.classes = ['no', 'maybe']
    expect(draft.text).toBe(null)
    expect(store.saveFile(large)).toBe(false)
    store.save(draft.snapshot(3))
    const stored = store.get()
    expect(stored?.text).toBe(null)
    if (!stored) return
    const again = new Draft()
    again.restore(stored.draft, stored.text)
    expect([again.sheet, again.missing]).toEqual([null, 'large.csv'])
    again.loadFile('large.csv', large)
    expect(again.missing).toBe(null)
    expect(again.snapshot(3)).toEqual(draft.snapshot(3))
    // A different file starts from new guesses.
    const other = new Draft()
    other.restore(stored.draft, stored.text)
    other.loadFile('other.csv', 'id,words\na,Good\n')
    expect(other.columns.map((column) => column.name)).toEqual(['id', 'words'])
  })

  it('continues a creation under its key, but not with a file that is chosen again', () => {
    const store = new DraftStore(sessionStorage, 'allot_abc_secret')
    const draft = changedDraft()
    draft.key = 'k1'
    store.save(draft.snapshot(3))
    for (const text of [kFile, null]) {
      const stored = store.get()
      if (!stored) throw new Error('nothing is stored')
      const again = new Draft()
      again.restore(stored.draft, text)
      expect(again.key).toBe(text === null ? null : 'k1')
    }
  })

  it('works without storage, and ignores damaged drafts', () => {
    const none = new DraftStore(null, 'allot_abc_secret')
    expect([none.saveFile('a'), none.save(changedDraft().snapshot(0)), none.get()]).toEqual([false, false, null])
    sessionStorage.setItem('allot.draft.abc', '{"fileName": 7}')
    expect(new DraftStore(sessionStorage, 'allot_abc_secret').get()).toBe(null)
    sessionStorage.setItem('allot.draft.abc', '{')
    expect(new DraftStore(sessionStorage, 'allot_abc_secret').get()).toBe(null)
  })
})
