// Numbers, amounts and times as people read them, with the separators of the page's language.

import type { Amount } from '../api/types.ts'

const kLanguage = 'en'
const whole = new Intl.NumberFormat(kLanguage, { maximumFractionDigits: 0 })
const compact = new Intl.NumberFormat(kLanguage, { notation: 'compact', maximumFractionDigits: 1 })

export const count = (value: number): string => whole.format(value)
export const short = (value: number): string => (Math.abs(value) < 10_000 ? whole.format(value) : compact.format(value))

export const amount = (value: Amount): number => Number(value)

/** Writers of amounts in one currency, or in none. */
function amountFormats(currency: string | null) {
  const style = currency ? ({ style: 'currency', currency, currencyDisplay: 'narrowSymbol' } as const) : {}
  const format = (digits: Intl.NumberFormatOptions) => new Intl.NumberFormat(kLanguage, { ...style, ...digits })
  // A currency has its own number of decimals.
  const cents = format(currency ? {} : { minimumFractionDigits: 2, maximumFractionDigits: 2 })
  const least = cents.resolvedOptions().minimumFractionDigits ?? 2
  return {
    whole: format({ maximumFractionDigits: 0 }),
    cents,
    small: format({ minimumFractionDigits: least, maximumFractionDigits: 9 }),
  }
}

const isWhole = (value: Amount) => Number.isInteger(Number(value))

/**
 * Returns a writer of amounts. All have decimals if there is a currency, or if one of `samples` has some;
 * others are whole numbers, as where every label costs 1. Prices below 1 keep three digits.
 */
export function moneyIn(currency: string | null | undefined, ...samples: Amount[]): (value: Amount) => string {
  const formats = amountFormats(currency || null)
  const hasCents = Boolean(currency) || !samples.every(isWhole)
  return (value) => {
    const amount = Number(value)
    if (isWhole(value) && !hasCents) return formats.whole.format(amount)
    const isSmall = amount !== 0 && Math.abs(amount) < 1
    return isSmall ? formats.small.format(Number(amount.toPrecision(3))) : formats.cents.format(amount)
  }
}

/** Whether amounts of the campaign are money: it has a currency, or a price other than 1. */
export const hasMoney = (campaign: { options: { price: Amount }; currency: string | null }): boolean =>
  Boolean(campaign.currency) || Number(campaign.options.price) !== 1

/** The currency of the campaign on the page, and amounts that all others are written like. */
let shown: { currency: string | null; samples: Amount[] } = { currency: null, samples: [] }
let write = moneyIn(null)

/** Sets how amounts are written from now on: in the currency of the campaign on the page, and like its price and budget. */
export function setMoney(currency: string | null | undefined, ...samples: Amount[]): void {
  shown = { currency: currency || null, samples }
  write = moneyIn(currency, ...samples)
}

/** Writes an amount as all others of the campaign on the page. */
export const money = (value: Amount): string => write(value)

/** Returns a writer for amounts that stand side by side: all with decimals if one of them has some. */
export const moneyLike = (...samples: Amount[]): ((value: Amount) => string) =>
  moneyIn(shown.currency, ...shown.samples, ...samples)

/** Writes a share as a percentage; 100% and 0% are always exact. */
export function percent(share: number | null | undefined, digits = 1): string {
  if (share === null || share === undefined || Number.isNaN(share)) return '–'
  const text = (share * 100).toFixed(digits)
  const most = (100 - 10 ** -digits).toFixed(digits)
  const least = (10 ** -digits).toFixed(digits)
  if (share < 1 && Number(text) >= 100) return `>${most}%`
  if (share > 0 && Number(text) === 0) return `<${least}%`
  return `${text}%`
}

/** Writes a difference of shares in percentage points, with its sign. */
export function points(difference: number, digits = 1): string {
  const text = Math.abs(difference * 100).toFixed(digits)
  if (Number(text) === 0) return `±${text}`
  return `${difference < 0 ? '−' : '+'}${text}`
}

export function clock(time: string | number): string {
  return new Date(time).toLocaleTimeString(kLanguage, {
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  })
}

export function day(time: string): string {
  return new Date(time).toLocaleDateString(kLanguage, {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
  })
}

export function moment(time: string, now: Date = new Date()): string {
  const then = new Date(time)
  return then.toDateString() === now.toDateString() ? clock(time) : `${day(time)}, ${clock(time)}`
}

/** Writes a span as "45 s", "3 min", "2 h" or "5 d". */
export function span(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000))
  if (seconds < 90) return `${seconds} s`
  if (seconds < 90 * 60) return `${Math.round(seconds / 60)} min`
  if (seconds < 36 * 3600) return `${Math.round(seconds / 3600)} h`
  return `${Math.round(seconds / 86400)} d`
}

/** Writes the values of an item's fields on one short line. */
export function excerpt(fields: Record<string, unknown>, longest = 140): string {
  const values = Object.values(fields).filter((value) => value !== null && value !== '')
  const text = values
    .map((value) => (typeof value === 'string' ? value : JSON.stringify(value)))
    .join(' · ')
    .replace(/\s+/g, ' ')
  return text.length > longest ? `${text.slice(0, longest - 1)}…` : text
}
