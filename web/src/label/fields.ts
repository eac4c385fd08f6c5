/** The fields of an item that a worker sees, in order, each of the kind that the requester chose. */
import type { Amount, FieldKind, Fields, Page } from '../api/types.ts'

export interface ShownField {
  name: string
  kind: Exclude<FieldKind, 'hidden'>
  value: string
}

export function shownFields(fields: Fields, page: Page | null | undefined): ShownField[] {
  return Object.entries(fields).flatMap(([name, content]): ShownField[] => {
    const kind = page?.fields?.[name] ?? 'text'
    const value = valueText(content)
    if (kind === 'hidden' || value === '') return []
    // An address that the page may not load is shown as text.
    const isAddress = kind === 'image' || kind === 'audio'
    if (isAddress && !isMedia(value, kind)) return [{ name, kind: 'text', value }]
    return [{ name, kind, value }]
  })
}

function valueText(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Whether the Content-Security-Policy allows the address. */
export function isMedia(address: string, kind: 'image' | 'audio'): boolean {
  return new RegExp(`^(https://[^\\s/]|data:${kind}/)`, 'i').test(address)
}

/** The font size of a text: short texts are large. */
export function textSize(text: string): 'large' | 'middle' | 'small' {
  return text.length <= 120 ? 'large' : text.length <= 500 ? 'middle' : 'small'
}

/** Writes a price or earnings with two to six decimals, as the language writes numbers, in the currency if there is one. */
export function amountText(amount: Amount, language = 'en', currency?: string | null): string {
  const digits = { minimumFractionDigits: 2, maximumFractionDigits: 6 }
  return Number(amount).toLocaleString(language, currency ? { ...digits, style: 'currency', currency } : digits)
}

/** Adds amounts with at most six decimals, exactly. */
export function addAmounts(a: Amount, b: Amount): number {
  return Math.round((Number(a) + Number(b)) * 1e6) / 1e6
}
