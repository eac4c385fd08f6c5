/**
 * Markup from data, made safe: what text is made of, links and pictures; no script, no style, no forms,
 * no names that could mean something to the page. The Content-Security-Policy stands behind it.
 *
 * Loaded when it is first needed: half of what a page without it weighs.
 */
type Purify = (typeof import('dompurify'))['default']

const kTags = [
  ...['a', 'abbr', 'b', 'blockquote', 'br', 'caption', 'cite', 'code', 'dd', 'del', 'details', 'div', 'dl', 'dt'],
  ...['em', 'figcaption', 'figure', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'hr', 'i', 'img', 'ins', 'kbd', 'li', 'mark'],
  ...['ol', 'p', 'pre', 'q', 's', 'samp', 'small', 'span', 'strong', 'sub', 'summary', 'sup', 'table', 'tbody', 'td'],
  ...['tfoot', 'th', 'thead', 'tr', 'u', 'ul', 'wbr'],
]
const kAttributes = ['alt', 'colspan', 'dir', 'height', 'href', 'lang', 'rowspan', 'src', 'start', 'title', 'width']

let purify: Promise<Purify> | null = null

function load() {
  purify ??= import('dompurify').then(({ default: made }) => {
    made.addHook('afterSanitizeAttributes', (node) => {
      if (node.tagName === 'A') {
        node.setAttribute('target', '_blank')
        node.setAttribute('rel', 'noopener noreferrer nofollow')
      } else if (node.tagName === 'IMG') {
        if (!/^(https:|data:image\/)/i.test(node.getAttribute('src') ?? '')) node.removeAttribute('src')
        node.setAttribute('referrerpolicy', 'no-referrer')
        if (!node.hasAttribute('alt')) node.setAttribute('alt', '')
      }
    })
    return made
  })
  return purify
}

/** Of HTML. */
export async function safeHtml(html: string): Promise<DocumentFragment> {
  const made = await load()
  return made.sanitize(html, {
    ALLOWED_TAGS: kTags,
    ALLOWED_ATTR: kAttributes,
    ADD_URI_SAFE_ATTR: kAttributes.filter((one) => one !== 'href' && one !== 'src'),
    ALLOW_ARIA_ATTR: false,
    ALLOW_DATA_ATTR: false,
    ALLOWED_URI_REGEXP: /^(https?:|mailto:)/i,
    RETURN_DOM_FRAGMENT: true,
  })
}

/** Of Markdown, which may have HTML in it. */
export async function safeMarkdown(text: string): Promise<DocumentFragment> {
  const { marked } = await import('marked')
  return safeHtml(await marked.parse(text, { gfm: true, breaks: false }))
}

/** So that it is there when the connection is not. */
export function fetchMarkup(markdown: boolean) {
  void load()
  if (markdown) void import('marked')
}
