import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const kGuard = /@media[^{]*\(hover: hover\)/

/** Selectors with :hover that also apply where a finger leaves :hover on what it tapped. */
function unguarded(css: string): string[] {
  const found: string[] = []
  const around: string[] = []
  let text = ''
  for (const c of css.replace(/\/\*[^]*?\*\//g, '')) {
    if (c === '{') {
      around.push(text.trim())
      if (text.includes(':hover') && !around.some((rule) => kGuard.test(rule))) found.push(text.trim())
    } else if (c === '}') {
      around.pop()
    } else if (c !== ';') {
      text += c
      continue
    }
    text = ''
  }
  return found
}

const source = join(import.meta.dirname, '..')
const styles = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.(css|svelte)$/.test(name))
  .map((name) => {
    const text = readFileSync(join(source, name), 'utf8')
    return { name, css: name.endsWith('.css') ? text : (/<style>([^]*)<\/style>/.exec(text)?.[1] ?? '') }
  })

describe('rules for a mouse', () => {
  it('do not apply to fingers', () => {
    expect(styles.filter(({ css }) => css.includes(':hover')).length).toBeGreaterThan(2)
    expect(styles.flatMap(({ name, css }) => unguarded(css).map((rule) => `${name}: ${rule}`))).toEqual([])
  })

  it('are found without their condition', () => {
    expect(unguarded('a { color: red; } a:hover, b { color: blue; }')).toEqual(['a:hover, b'])
    expect(unguarded('@media (hover: hover) { a:hover { color: blue; } } b:hover { top: 0; }')).toEqual(['b:hover'])
    expect(unguarded('@media (hover: none) { a:hover { color: blue; } }')).toEqual(['a:hover'])
  })
})
