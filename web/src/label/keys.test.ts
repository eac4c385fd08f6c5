import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { classForKey, keysFor, keyMeanings } from './keys.ts'

const kCommandKeys = ['s', 'u', 'p']

describe('keysFor', () => {
  it('gives digits in order and first letters', () => {
    expect(keysFor(['no', 'yes', 'maybe'], kCommandKeys)).toEqual([
      { digit: '1', letter: 'n' },
      { digit: '2', letter: 'y' },
      { digit: '3', letter: 'm' },
    ])
  })

  it('takes a later letter where the first is a command or taken', () => {
    const letters = (commands: string[]) => keysFor(['spam', 'sure', 'pest'], commands).map(({ letter }) => letter)
    expect(letters(kCommandKeys)).toEqual(['a', 'r', 'e'])
    // Without sounds, p plays nothing.
    expect(letters(['s', 'u'])).toEqual(['a', 'r', 'p'])
  })

  it('lets a digit mean itself where the classes are digits', () => {
    const keys = keysFor(['0', '1'], kCommandKeys)
    expect(classForKey('0', keys)).toBe(0)
    expect(classForKey('1', keys)).toBe(1)
    expect(classForKey('2', keys)).toBeNull()
  })

  it('gives 0 to the tenth class and no digit to the eleventh', () => {
    const keys = keysFor(Array.from({ length: 11 }, (_, n) => `class ${n}`), kCommandKeys)
    expect(keys[9]?.digit).toBe('0')
    expect(keys[10]?.digit).toBeNull()
  })

  it('ignores case, also in other alphabets', () => {
    const keys = keysFor(['Да', 'Нет'], kCommandKeys)
    expect(classForKey('Н', keys)).toBe(1)
  })

  it('never gives a key twice, nor the key of a command', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string({ minLength: 1, unit: 'grapheme' }), { maxLength: 40 }), (classes) => {
        const keys = keysFor(classes, kCommandKeys)
        const all = keys.flatMap(({ digit, letter }) => [digit, letter]).filter((key) => key !== null)
        expect(new Set(all).size).toBe(all.length)
        for (const key of all) expect(kCommandKeys).not.toContain(key)
        keys.forEach(({ letter }, n) => {
          if (letter) expect(classForKey(letter, keys)).toBe(n)
        })
      }),
    )
  })
})

describe('keyMeanings', () => {
  it('takes the written character first, then the Latin one of that key', () => {
    expect(keyMeanings({ key: 'S', code: 'KeyS' })).toEqual(['s'])
    expect(keyMeanings({ key: 'q', code: 'KeyA' })).toEqual(['q'])
    expect(keyMeanings({ key: 'σ', code: 'KeyS' })).toEqual(['σ', 's'])
    expect(keyMeanings({ key: '&', code: 'Digit1' })).toEqual(['&', '1'])
    expect(keyMeanings({ key: 'Enter', code: 'Enter' })).toEqual(['enter'])
  })
})
