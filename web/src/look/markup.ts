/**
 * Sanitises markup from data. Text, links and pictures stay; scripts, styles, forms, ids and classes are
 * removed. The Content-Security-Policy is the second line of defence.
 *
 * The sanitiser is loaded on first use: it would make every page half as large again.
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
  purify ??= import('dompurify').then(({ default: sanitiser }) => {
    sanitiser.addHook('afterSanitizeAttributes', (node) => {
      if (node.tagName === 'A') {
        node.setAttribute('target', '_blank')
        node.setAttribute('rel', 'noopener noreferrer nofollow')
      } else if (node.tagName === 'IMG') {
        if (!/^(https:|data:image\/)/i.test(node.getAttribute('src') ?? '')) node.removeAttribute('src')
        node.setAttribute('referrerpolicy', 'no-referrer')
        if (!node.hasAttribute('alt')) node.setAttribute('alt', '')
      }
    })
    return sanitiser
  })
  return purify
}

/**
 * Renames handlers such as onerror, which the sanitiser then removes like any unknown attribute. Under their
 * own names the browser would report each to the console, because the Content-Security-Policy forbids them.
 */
function withoutHandlers(html: string): string {
  return html.replace(/<[a-z][^>]*>/gi, (tag) => tag.replace(/([\s/"'])on(?=\w+\s*=)/gi, '$1data-on'))
}

/** Sanitises HTML. */
export async function safeHtml(html: string): Promise<DocumentFragment> {
  const sanitiser = await load()
  return sanitiser.sanitize(withoutHandlers(html), {
    ALLOWED_TAGS: kTags,
    ALLOWED_ATTR: kAttributes,
    ADD_URI_SAFE_ATTR: kAttributes.filter((name) => name !== 'href' && name !== 'src'),
    ALLOW_ARIA_ATTR: false,
    ALLOW_DATA_ATTR: false,
    ALLOWED_URI_REGEXP: /^(https?:|mailto:)/i,
    RETURN_DOM_FRAGMENT: true,
  })
}

/** Sanitises Markdown, which can contain HTML. */
export async function safeMarkdown(text: string): Promise<DocumentFragment> {
  const { marked } = await import('marked')
  return safeHtml(await marked.parse(text, { gfm: true, breaks: false }))
}

/** Loads the sanitiser early, so that it works without a connection later. */
export function fetchMarkup(markdown: boolean) {
  void load()
  if (markdown) void import('marked')
}
