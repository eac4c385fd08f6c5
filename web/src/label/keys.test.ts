import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { classOf, kCommands, keysFor, meanings } from './keys.ts'

describe('keysFor', () => {
  it('gives digits in order and first letters', () => {
    expect(keysFor(['no', 'yes', 'maybe'])).toEqual([
      { digit: '1', letter: 'n' },
      { digit: '2', letter: 'y' },
      { digit: '3', letter: 'm' },
    ])
  })

  it('goes on to further letters where the first is a command or taken', () => {
    const letters = keysFor(['spam', 'sure', 'pest']).map((one) => one.letter)
    expect(letters).toEqual(['a', 'r', 'e'])
  })

  it('lets digits mean themselves', () => {
    const keys = keysFor(['0', '1'])
    expect(classOf('0', keys)).toBe(0)
    expect(classOf('1', keys)).toBe(1)
    expect(classOf('2', keys)).toBeNull()
  })

  it('gives the tenth class 0 and the eleventh no digit', () => {
    const keys = keysFor(Array.from({ length: 11 }, (_, n) => `class ${n}`))
    expect(keys[9]?.digit).toBe('0')
    expect(keys[10]?.digit).toBeNull()
  })

  it('knows capitals, and letters of other alphabets', () => {
    const keys = keysFor(['Да', 'Нет'])
    expect(classOf('Н', keys)).toBe(1)
  })

  it('never has a key twice, nor one of a command', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string({ minLength: 1, unit: 'grapheme' }), { maxLength: 40 }), (classes) => {
        const keys = keysFor(classes)
        const all = keys.flatMap((one) => [one.digit, one.letter]).filter((one) => one !== null)
        expect(new Set(all).size).toBe(all.length)
        for (const key of all) expect(kCommands).not.toContain(key)
        keys.forEach((one, n) => {
          if (one.letter) expect(classOf(one.letter, keys)).toBe(n)
        })
      }),
    )
  })
})

describe('meanings', () => {
  it('takes what is written, and otherwise the place of the key', () => {
    expect(meanings({ key: 'S', code: 'KeyS' })).toEqual(['s'])
    expect(meanings({ key: 'q', code: 'KeyA' })).toEqual(['q'])
    expect(meanings({ key: 'σ', code: 'KeyS' })).toEqual(['σ', 's'])
    expect(meanings({ key: '&', code: 'Digit1' })).toEqual(['&', '1'])
    expect(meanings({ key: 'Enter', code: 'Enter' })).toEqual(['enter'])
  })
})
