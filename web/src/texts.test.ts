import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { oneOf } from './texts/count.ts'
import { texts } from './texts.ts'

/** Words and patterns that plain English avoids, each with the reason. */
const kRules: [pattern: RegExp, reason: string][] = [
  [/\bshall\b/i, 'use "must" or "do you want"'],
  [/\banew\b/i, 'use "again" or "start over"'],
  [/\b(whoever|whatever|whichever)\b/i, 'name the actor'],
  [/\bso (many|much) (?!more|that)/i, 'name the number'],
  [/\b(one|\d+|labels?|rows?|items?|names?|objects?|answers?) an? (item|row|line|label|worker|class|minute|second)\b/i, 'use "per"'],
  [/\b(one|row) a (row|label)\b/i, 'use "per"'],
  [/(?<!\bthere )\b(is|are|was|were) (said|to be|no|none)\b(?! (longer|more))/i, 'use the active voice or "not"'],
  [/\bgo(es)? on\b/i, 'use "continue" or "resume"'],
  [/\bany more\b/i, 'use "no longer" or "stop"'],
  [/\bof (its|their|your|our) own\b/i, 'use "its own"'],
  [/\bat hand\b/i, 'use "being labelled" or "leased"'],
  [/\bby itself\b/i, 'use "automatically" or name the actor'],
]

const kMaxWords = 25

/** Every sentence of an object with the path to it; functions are called with sample numbers and names. */
function sentencesIn(value: unknown, path = 'texts'): { path: string; text: string }[] {
  if (typeof value === 'string') return [{ path, text: value }]
  if (typeof value === 'function') {
    const call = value as (...words: unknown[]) => unknown
    const samples = [1, 7, '7'].map((sample) => Array<unknown>(5).fill(sample))
    const results = [...samples, ['name', 'value', ['no', 'yes']]].flatMap((words) => {
      try {
        return sentencesIn(call(...words), path)
      } catch {
        // The function wants values of another type.
        return []
      }
    })
    if (results.length === 0) throw new Error(`no sample fits ${path}`)
    return results
  }
  return Object.entries(value as object).flatMap(([key, inner]) => sentencesIn(inner, `${path}.${key}`))
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    return entry.isDirectory() ? filesBelow(path) : [path]
  })
}

describe('texts', () => {
  const sentences = sentencesIn(texts)

  it('avoid words and patterns that plain English avoids', () => {
    const faults = sentences.flatMap(({ path, text }) =>
      kRules.filter(([pattern]) => pattern.test(text)).map(([, reason]) => `${path}: ${reason}: ${text}`),
    )
    expect(faults).toEqual([])
  })

  it('have sentences of at most 25 words', () => {
    const long = sentences.flatMap(({ path, text }) =>
      text.split(/(?<=[.!?])\s/).filter((part) => part.split(/\s+/).length > kMaxWords).map((part) => `${path}: ${part}`),
    )
    expect(long).toEqual([])
  })

  it('agree in number', () => {
    const faults = sentences.filter(({ text }) => /(?<![\d.,])1 (items|labels|rows|answers|seconds|values)\b/.test(text))
    expect(faults).toEqual([])
  })

  it('are all shown somewhere', () => {
    const code = filesBelow(import.meta.dirname)
      .filter((file) => /\.(svelte|ts)$/.test(file) && !/texts|\.test\.ts$/.test(file))
      .map((file) => readFileSync(file, 'utf8'))
      .join('\n')
    // Lists by names of the API, such as policies, are looked up by a variable.
    const isUsed = (key: string) => new RegExp(`\\.${key}\\b`).test(code)
    const unused = (value: object, path: string): string[] =>
      Object.entries(value).flatMap(([key, inner]) => {
        if (!isUsed(key)) return [`${path}.${key}`]
        const isSection = typeof inner === 'object' && inner !== null && !Array.isArray(inner)
        return isSection && Object.keys(inner as object).some(isUsed) ? unused(inner as object, `${path}.${key}`) : []
      })
    const byVariable = /\.(refusals|platforms|paste|codesUse|outcomes|csvFaults|itemFaults|exports|formats|binaryKinds|roles|states|orders|themes|phases|notices|events|settledReasons|remarks|reasons|skipReasons|standings|done)\./
    expect(unused(texts, 'texts').filter((path) => !byVariable.test(path))).toEqual([])
  })
})

describe('oneOf', () => {
  it('joins names with commas and "or"', () => {
    expect([oneOf(['a']), oneOf(['a', 'b']), oneOf(['a', 'b', 'c'])]).toEqual(['“a”', '“a” or “b”', '“a”, “b” or “c”'])
  })
})
