/** What is shown of an item: its fields in their order, each as the requester said. */
import type { Amount, FieldKind, Fields, Page } from '../api/types.ts'

export interface Shown {
  name: string
  kind: Exclude<FieldKind, 'hidden'>
  value: string
}

export function shownFields(fields: Fields, page: Page | null | undefined): Shown[] {
  return Object.entries(fields).flatMap(([name, given]): Shown[] => {
    const kind = page?.fields?.[name] ?? 'text'
    const value = valueText(given)
    if (kind === 'hidden' || value === '') return []
    // Only what the page may load; anything else is shown as the text it is.
    const isAddress = kind === 'image' || kind === 'audio'
    if (isAddress && !isMedia(value, kind)) return [{ name, kind: 'text', value }]
    return [{ name, kind, value }]
  })
}

function valueText(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Whether an address is one of those that the Content-Security-Policy lets pass. */
export function isMedia(address: string, kind: 'image' | 'audio'): boolean {
  return new RegExp(`^(https://[^\\s/]|data:${kind}/)`, 'i').test(address)
}

/** How large a text is written: short ones large. */
export function sizeOf(text: string): 'large' | 'middle' | 'small' {
  return text.length <= 120 ? 'large' : text.length <= 500 ? 'middle' : 'small'
}

/** Of a price or earnings; sums are of amounts with at most six digits behind the point. */
export function amountText(amount: Amount): string {
  const value = Number(amount)
  return value.toLocaleString('en', { minimumFractionDigits: Number.isInteger(value) ? 0 : 2, maximumFractionDigits: 6 })
}

export function sum(a: Amount, b: Amount): number {
  return Math.round((Number(a) + Number(b)) * 1e6) / 1e6
}
