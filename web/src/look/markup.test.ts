import { describe, expect, it } from 'vitest'
import { safeHtml, safeMarkdown } from './markup.ts'

async function htmlOf(fragment: Promise<DocumentFragment>) {
  const box = document.createElement('div')
  box.append(await fragment)
  return new XMLSerializer().serializeToString(box).replace(/ xmlns="[^"]*"/, '').slice(5, -6)
}

describe('safeHtml', () => {
  it('keeps the elements of text', async () => {
    expect(await htmlOf(safeHtml('<p>a <b>b</b></p><table><tbody><tr><td colspan="2">c</td></tr></tbody></table>'))).toBe(
      '<p>a <b>b</b></p><table><tbody><tr><td colspan="2">c</td></tr></tbody></table>',
    )
  })

  it('removes scripts, styles, forms and frames', async () => {
    const hostile = [
      '<script>alert(1)</script>',
      '<img src="x" onerror="alert(1)">',
      '<svg><script>alert(1)</script></svg>',
      '<a href="javascript:alert(1)">a</a>',
      '<a href="JaVa\tScript:alert(1)">a</a>',
      '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
      '<form action="https://example.org"><input name="token"><button>ok</button></form>',
      '<style>*{display:none}</style><p style="position:fixed" class="card" id="app" data-x="1" aria-hidden="true">p</p>',
      '<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>',
      '<base href="https://example.org/"><meta http-equiv="refresh" content="0">',
      '<object data="x"></object><embed src="x"><link rel="stylesheet" href="x">',
      '<audio src="https://example.org/a" autoplay></audio>',
    ]
    for (const text of hostile) {
      const html = await htmlOf(safeHtml(text))
      expect(html).not.toMatch(/script|onerror|style|class=|id=|data-|aria-|iframe|form|input|button|base|meta|object|embed|link|audio|svg|math/i)
    }
  })

  it('keeps text that looks like a handler', async () => {
    expect(await htmlOf(safeHtml('<p>set onload=1 <b onclick="x()">on time = 5</b></p>'))).toBe(
      '<p>set onload=1 <b>on time = 5</b></p>',
    )
  })

  it('opens links in a new tab without a referrer', async () => {
    const html = await htmlOf(safeHtml('<a href="https://example.org" target="_top">a</a>'))
    expect(html).toContain('target="_blank"')
    expect(html).toContain('noopener noreferrer')
  })

  it('loads only pictures that the Content-Security-Policy allows', async () => {
    expect(await htmlOf(safeHtml('<img src="https://example.org/a.png">'))).toContain('src="https://example.org/a.png"')
    expect(await htmlOf(safeHtml('<img src="data:image/png;base64,AA">'))).toContain('src="data:')
    expect(await htmlOf(safeHtml('<img src="http://example.org/a.png">'))).not.toContain('src=')
    expect(await htmlOf(safeHtml('<img src="/api/v1/me">'))).not.toContain('src=')
  })
})

it('safeMarkdown sanitises the HTML in Markdown', async () => {
  const html = await htmlOf(safeMarkdown('# T\n\n- a\n- **b** <img src=x onerror=alert(1)>\n\n[x](javascript:alert(1))'))
  expect(html).toContain('<h1>T</h1>')
  expect(html).toContain('<strong>b</strong>')
  expect(html).not.toMatch(/onerror|javascript/)
})
