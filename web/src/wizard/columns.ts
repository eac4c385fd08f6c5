// What the columns of a file are for, and the items that follow. Guesses come first, a person has
// the last word. A row that makes no item is a fault that names its line.

import type { NewItem } from '../api/report_types.ts'
import type { FieldKind } from '../api/types.ts'
import type { Fault, Row, Sheet } from './csv.ts'

/** What a column is: the id, a field of some kind, or what only the requester knows. */
export type Role = 'id' | FieldKind | 'price' | 'gold' | 'truth' | 'ignore'

export interface Column {
  name: string
  role: Role
}

export interface ItemWords {
  emptyId(): string
  sameId(id: string, line: number): string
  longId(): string
  noPrice(value: string): string
  noClass(column: string, value: string, classes: string[]): string
  tooLarge(): string
  emptyItem(): string
}

const kIds = ['id', 'item', 'item_id', 'itemid', 'task', 'task_id', 'question', 'example_id', 'uid']
const kGold = ['gold', 'known_answer', 'gold_label']
const kTruth = ['truth', 'true_label', 'label_true', 'answer', 'target', 'label', 'class']
const kPrice = ['price', 'cost']
const kLongestId = 500
const kLargestItem = 256 * 1024

function textOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function kindOf(name: string, values: string[]): FieldKind {
  const given = values.filter((value) => value !== '')
  const most = (test: (value: string) => boolean) => given.length > 0 && given.filter(test).length > given.length / 2
  const address = /^(https?:\/\/|data:)/i
  if (most((value) => address.test(value))) {
    if (most((value) => /^data:image\/|\.(png|jpe?g|gif|webp|avif|svg)([?#]|$)/i.test(value))) {
      return 'image'
    }
    if (most((value) => /^data:audio\/|\.(mp3|wav|ogg|oga|m4a|flac|opus)([?#]|$)/i.test(value))) {
      return 'audio'
    }
    if (/image|picture|photo|img/i.test(name)) return 'image'
    if (/audio|sound|recording/i.test(name)) return 'audio'
  }
  if (/^html$/i.test(name) || most((value) => /^\s*<[a-z][^>]*>/i.test(value))) return 'html'
  return 'text'
}

/** What the columns seem to be, from their names and first values. */
export function guessColumns(sheet: Sheet): Column[] {
  const sample = sheet.rows.slice(0, 50)
  const find = (names: readonly string[]) =>
    names
      .map((name) => sheet.columns.find((column) => column.toLowerCase() === name))
      .find((column) => column !== undefined)
  const special = new Map<string, Role>()
  for (const [role, names] of [
    ['id', kIds],
    ['gold', kGold],
    ['truth', kTruth],
    ['price', kPrice],
  ] as const) {
    const column = find(names)
    if (column === undefined || special.has(column)) continue
    // A few that come twice are faults of rows; many, and the column says something else.
    const different = new Set(sample.map((row) => textOf(row.values[column]))).size
    if (role === 'id' && different <= sample.length / 2) continue
    special.set(column, role)
  }
  return sheet.columns.map((name) => ({
    name,
    role:
      special.get(name) ??
      kindOf(
        name,
        sample.map((row) => textOf(row.values[name])),
      ),
  }))
}

/** Classes that known answers name, at most `most` of them; of yes and no, yes comes second. */
export function guessClasses(sheet: Sheet, columns: Column[], most = 12): string[] {
  const found = new Set<string>()
  for (const { name, role } of columns) {
    if (role !== 'gold' && role !== 'truth') continue
    for (const row of sheet.rows) {
      const value = textOf(row.values[name]).trim()
      if (value) found.add(value)
      if (found.size > most) return []
    }
  }
  const negative = /^(no|false|0|neg(ative)?|-1)$/i
  const classes = [...found].sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
  return classes.sort((a, b) => Number(negative.test(b)) - Number(negative.test(a)))
}

export interface Items {
  items: NewItem[]
  /** The line of each. */
  lines: number[]
  faults: Fault[]
}

function checkClass(column: string, value: string, classes: string[], words: ItemWords): string | undefined {
  return value === '' || classes.includes(value) ? undefined : words.noClass(column, value, classes)
}

/** The items of a sheet, those that can be read; `faults` names the lines of all others. */
export function makeItems(sheet: Sheet, columns: Column[], classes: string[], words: ItemWords): Items {
  const made: Items = { items: [], lines: [], faults: [...sheet.faults] }
  const one = (role: Role) => columns.find((column) => column.role === role)?.name
  const [id, price, gold, truth] = [one('id'), one('price'), one('gold'), one('truth')]
  const fields = columns.filter(({ role }) => ['text', 'image', 'audio', 'html', 'hidden'].includes(role))
  const seen = new Map<string, number>()
  const item = (row: Row): NewItem | string => {
    const value = (name: string | undefined) => (name ? textOf(row.values[name]).trim() : '')
    const made: NewItem = { id: id ? value(id) : `line-${row.line}`, fields: {} }
    if (made.id === '') return words.emptyId()
    if (made.id.length * 3 > kLongestId && new TextEncoder().encode(made.id).length > kLongestId) return words.longId()
    const before = seen.get(made.id)
    if (before !== undefined) return words.sameId(made.id, before)
    if (value(price) !== '') {
      if (!/^\d+(\.\d+)?$/.test(value(price)) || Number(value(price)) <= 0) {
        return words.noPrice(value(price))
      }
      made.price = value(price)
    }
    for (const [column, member] of [
      [gold, 'gold'],
      [truth, 'truth'],
    ] as const) {
      if (!column) continue
      const wrong = checkClass(column, value(column), classes, words)
      if (wrong) return wrong
      if (value(column)) made[member] = value(column)
    }
    let size = 0
    for (const { name } of fields) {
      const shown = row.values[name]
      if (shown === undefined || shown === null || shown === '') continue
      made.fields[name] = shown
      size += typeof shown === 'string' ? shown.length : kLargestItem
    }
    if (fields.length > 0 && Object.keys(made.fields).length === 0) return words.emptyItem()
    // Small texts need not be written out to know that they are.
    if (size * 6 > kLargestItem && JSON.stringify(made.fields).length > kLargestItem) return words.tooLarge()
    return made
  }
  for (const row of sheet.rows) {
    const result = item(row)
    if (typeof result === 'string') {
      made.faults.push({ line: row.line, reason: result })
    } else {
      seen.set(result.id, row.line)
      made.items.push(result)
      made.lines.push(row.line)
    }
  }
  made.faults.sort((a, b) => a.line - b.line)
  return made
}

/** Items in requests that the server takes: so many, and not too many bytes. */
export function batches(items: NewItem[], most = 1000, bytes = 700_000): NewItem[][] {
  const all: NewItem[][] = []
  let size = 0
  for (const item of items) {
    const own = JSON.stringify(item).length * 1.1
    const last = all.at(-1)
    if (!last || last.length >= most || size + own > bytes) {
      all.push([item])
      size = own
    } else {
      last.push(item)
      size += own
    }
  }
  return all
}

/** How the worker's page shows each field; text is what it shows anyway. */
export function fieldKinds(columns: Column[]): Record<string, FieldKind> {
  const kinds: Record<string, FieldKind> = {}
  for (const { name, role } of columns) {
    if (role === 'image' || role === 'audio' || role === 'html' || role === 'hidden') {
      kinds[name] = role
    }
  }
  return kinds
}
