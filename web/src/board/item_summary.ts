// A short form of an item for lists: its texts, or the text of its HTML, and a thumbnail.
import type { FieldKind, Fields } from '../api/types.ts'
import { isMedia } from '../label/fields.ts'
import { excerpt } from '../look/format.ts'

export interface ItemSummary {
  text: string
  /** The address of a picture that the page may load. */
  image: string | null
}

/** The text of HTML. The parsed document is inert: nothing in it runs or loads. */
export function textOfHtml(html: string): string {
  const { body } = new DOMParser().parseFromString(html, 'text/html')
  for (const element of body.querySelectorAll('script, style')) element.remove()
  // Blocks are separate words.
  for (const element of body.querySelectorAll('p, div, li, br, h1, h2, h3, h4, h5, h6, td, th')) element.append(' ')
  return (body.textContent ?? '').replace(/\s+/g, ' ').trim()
}

/** Whether the texts of lists need the fields: pictures, sounds and HTML are not readable as they are. */
export function hasMedia(kinds: Record<string, FieldKind> | undefined): boolean {
  return Object.values(kinds ?? {}).some((kind) => kind === 'image' || kind === 'audio' || kind === 'html')
}

export function summaryOf(fields: Fields, kinds: Record<string, FieldKind> | undefined, longest = 140): ItemSummary {
  const texts: Record<string, unknown> = {}
  const html: Record<string, unknown> = {}
  let image: string | null = null
  for (const [name, value] of Object.entries(fields)) {
    const kind = kinds?.[name] ?? 'text'
    const isText = typeof value === 'string'
    if (kind === 'text' && !(isText && /^data:\w+\//.test(value))) texts[name] = value
    else if (kind === 'html' && isText) html[name] = textOfHtml(value)
    else if (kind === 'image' && isText && isMedia(value, 'image')) image ??= value
  }
  return { text: excerpt(texts, longest) || excerpt(html, longest), image }
}
