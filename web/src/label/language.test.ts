import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { common } from '../texts/common.ts'
import { kLanguages } from '../texts/languages.ts'
import { language, pickLanguage } from './language.svelte.ts'

describe('pickLanguage', () => {
  it('takes the first language that has texts, and English without one', () => {
    expect(pickLanguage(['de-AT', 'en'])).toBe('de')
    expect(pickLanguage(['fr', 'de', 'en'])).toBe('de')
    expect(pickLanguage(['EN-us', 'de'])).toBe('en')
    expect(pickLanguage([null, 'toString', 'zh-Hant-TW', ''])).toBe('en')
    expect(pickLanguage([])).toBe('en')
  })
})

describe('language', () => {
  const reset = () => {
    localStorage.clear()
    language.start(['en'])
  }
  beforeEach(reset)
  afterEach(reset)

  it('follows the browser, until the person chooses', () => {
    language.start(['de-DE', 'en'])
    expect([document.documentElement.lang, language.texts.label.skip]).toEqual(['de', 'Überspringen'])
    language.choose('en')
    expect([document.documentElement.lang, language.texts.common]).toEqual(['en', common])
    // As after a reload.
    language.start(['de-DE', 'en'])
    expect(language.code).toBe('en')
  })
})

type Entry = [path: string, sentence: string | ((...words: unknown[]) => string)]

function entriesOf(value: object, path = ''): Entry[] {
  return Object.entries(value).flatMap(([key, inner]: [string, unknown]) =>
    typeof inner === 'object' && inner !== null
      ? entriesOf(inner, `${path}${key}.`)
      : [[path + key, inner] as Entry],
  )
}

describe('texts in other languages', () => {
  const { en, ...others } = kLanguages
  const english = new Map(entriesOf({ label: en.label }))
  const samples = [1, 2, 7654321]
  /** Which of these numbers a sentence shows; separators differ between languages. */
  const shown = (sentence: string, words: number[]) =>
    words.filter((word) => new RegExp(`(?<!\\d)${word}(?!\\d)`).test(sentence.replace(/(?<=\d)[.,\s](?=\d)/g, '')))

  it.each(Object.entries(others))('%s show the same numbers and names', (_, { label }) => {
    const entries = entriesOf({ label })
    expect(entries.map(([path]) => path)).toEqual([...english.keys()])
    for (const [path, sentence] of entries) {
      const original = english.get(path)
      expect(typeof sentence, path).toBe(typeof original)
      if (typeof sentence === 'string' || typeof original === 'string' || !original) continue
      for (const first of samples) {
        const words = [first, 8765432]
        const expected = shown(original(...words), words)
        expect(expected.length, path).toBe(original.length)
        expect(shown(sentence(...words), words), path).toEqual(expected)
      }
    }
  })

  it('find a sentence without its number', () => {
    expect(shown('7.654.321 Antworten', [7654321])).toEqual([7654321])
    expect(shown('viele Antworten', [7654321])).toEqual([])
    expect(shown('17,654,321 answers', [7654321])).toEqual([])
  })

  it('write German with Sie, in sentences of at most 25 words', () => {
    for (const [path, sentence] of entriesOf({ label: kLanguages.de.label })) {
      const text = typeof sentence === 'string' ? sentence : sentence(7, 'x')
      expect(text, path).not.toMatch(/\b(du|dein\w*|dir|dich)\b|["“][^„]*”/i)
      for (const part of text.split(/(?<=[.!?])\s/)) expect(part.split(/\s+/).length, path).toBeLessThanOrEqual(25)
    }
  })

  it('count in the singular and the plural', () => {
    const { de } = kLanguages
    expect([1, 2, 1200].map(de.label.answered)).toEqual(['1 Antwort', '2 Antworten', '1.200 Antworten'])
    expect(de.label.offlineWaiting(1)).toContain('1 Antwort ist auf diesem Gerät gespeichert und wird gesendet')
    expect(de.label.total(2, '0,10')).toBe('Sie haben 2 Antworten gegeben und 0,10 verdient.')
    expect(de.label.total(1, null)).toBe('Sie haben 1 Antwort gegeben.')
  })
})
