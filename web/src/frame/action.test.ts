import { describe, expect, it } from 'vitest'
import { Action, DialogActions } from './action.svelte.ts'

describe('Action', () => {
  it('runs one at a time, and keeps the reason of a failure until the next attempt', async () => {
    const action = new Action()
    let finish = () => {}
    let runs = 0
    const first = action.run(() => {
      runs += 1
      return new Promise<void>((resolve) => (finish = resolve))
    })
    await action.run(async () => (runs += 1))
    expect([action.busy, runs]).toEqual([true, 1])
    finish()
    await first
    await action.run(() => Promise.reject(new Error('full')))
    expect([action.busy, action.trouble]).toEqual([false, 'full'])
    await action.run(() => Promise.resolve())
    expect(action.trouble).toBeNull()
  })
})

describe('DialogActions', () => {
  it('closes the dialog after a success only, and forgets the trouble of another dialog', async () => {
    const dialogs = new DialogActions<'a' | 'b'>()
    dialogs.show('a')
    await dialogs.act(() => Promise.reject(new Error('no')))
    expect([dialogs.open, dialogs.trouble]).toEqual(['a', 'no'])
    dialogs.show('b')
    expect(dialogs.trouble).toBeNull()
    const seen: (string | null)[] = []
    await dialogs.act(
      () => Promise.resolve(),
      async () => seen.push(dialogs.open),
    )
    expect([dialogs.open, seen]).toEqual([null, [null]])
  })
})
