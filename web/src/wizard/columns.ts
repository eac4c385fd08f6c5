// Decides what each column of a file is for, and makes items from its rows. The roles are guessed first;
// the requester can change them. A row that makes no item becomes a fault that names its line.

import type { NewItem } from '../api/report_types.ts'
import type { FieldKind } from '../api/types.ts'
import { isMedia } from '../label/fields.ts'
import type { Fault, Row, Sheet } from './csv.ts'

/** The use of a column: the id, a field of some kind, or data for the requester only. */
export type Role = 'id' | FieldKind | 'price' | 'gold' | 'truth' | 'ignore'

export interface Column {
  name: string
  role: Role
}

/** The text of each fault. */
export interface ItemMessages {
  emptyId(): string
  repeatedId(id: string, line: number): string
  longId(): string
  badPrice(value: string): string
  unknownAnswer(column: string, value: string, answers: string[]): string
  tooLarge(): string
  nothingToShow(): string
}

const kIds = ['id', 'item', 'item_id', 'itemid', 'task', 'task_id', 'question', 'example_id', 'uid']
const kGold = ['gold', 'known_answer', 'gold_label']
const kTruth = ['truth', 'true_label', 'label_true', 'answer', 'target', 'label', 'class']
const kPrice = ['price', 'cost']
const kMaxIdBytes = 500
const kMaxItemBytes = 256 * 1024

function textOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function kindOf(name: string, values: string[]): FieldKind {
  const present = values.filter((value) => value !== '')
  const most = (test: (value: string) => boolean) => present.length > 0 && present.filter(test).length > present.length / 2
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

/** The column of ids in a file without names: the first with short words that never repeat. */
function unnamedId(sheet: Sheet): string | undefined {
  if (sheet.header !== false || sheet.columns.length < 2) return undefined
  return sheet.columns.find((name) => {
    const values = sheet.rows.map((row) => textOf(row.values[name]))
    return new Set(values).size === values.length && values.every((value) => /^\S{1,40}$/.test(value) && !value.includes('://'))
  })
}

/** Guesses the roles of columns from their names and first values. */
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
    // A few repeated ids are faults of rows; with many, the column does not hold ids.
    const different = new Set(sample.map((row) => textOf(row.values[column]))).size
    if (role === 'id' && different <= sample.length / 2) continue
    special.set(column, role)
  }
  const id = unnamedId(sheet)
  if (id !== undefined) special.set(id, 'id')
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

/** The classes that known answers name, "no" before "yes"; none if there are more than `most`. */
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

export interface ItemList {
  items: NewItem[]
  /** The line of each item. */
  lines: number[]
  faults: Fault[]
}

function checkClass(column: string, value: string, classes: string[], messages: ItemMessages): string | undefined {
  return value === '' || classes.includes(value) ? undefined : messages.unknownAnswer(column, value, classes)
}

/** Makes items from the rows of a sheet; `faults` names the lines that make none. */
export function makeItems(sheet: Sheet, columns: Column[], classes: string[], messages: ItemMessages): ItemList {
  const list: ItemList = { items: [], lines: [], faults: [...sheet.faults] }
  const columnOf = (role: Role) => columns.find((column) => column.role === role)?.name
  const [id, price, gold, truth] = [columnOf('id'), columnOf('price'), columnOf('gold'), columnOf('truth')]
  const fields = columns.filter(({ role }) => ['text', 'image', 'audio', 'html', 'hidden'].includes(role))
  const seen = new Map<string, number>()
  const makeItem = (row: Row): NewItem | string => {
    const value = (name: string | undefined) => (name ? textOf(row.values[name]).trim() : '')
    const item: NewItem = { id: id ? value(id) : `line-${row.line}`, fields: {} }
    if (item.id === '') return messages.emptyId()
    if (item.id.length * 3 > kMaxIdBytes && new TextEncoder().encode(item.id).length > kMaxIdBytes) return messages.longId()
    const before = seen.get(item.id)
    if (before !== undefined) return messages.repeatedId(item.id, before)
    if (value(price) !== '') {
      if (!/^\d+(\.\d+)?$/.test(value(price)) || Number(value(price)) <= 0) {
        return messages.badPrice(value(price))
      }
      item.price = value(price)
    }
    for (const [column, member] of [
      [gold, 'gold'],
      [truth, 'truth'],
    ] as const) {
      if (!column) continue
      const fault = checkClass(column, value(column), classes, messages)
      if (fault) return fault
      if (value(column)) item[member] = value(column)
    }
    let size = 0
    for (const { name } of fields) {
      const shown = row.values[name]
      if (shown === undefined || shown === null || shown === '') continue
      item.fields[name] = shown
      size += typeof shown === 'string' ? shown.length : kMaxItemBytes
    }
    if (fields.length > 0 && Object.keys(item.fields).length === 0) return messages.nothingToShow()
    // Small items need not be serialised to be measured.
    if (size * 6 > kMaxItemBytes && JSON.stringify(item.fields).length > kMaxItemBytes) return messages.tooLarge()
    return item
  }
  for (const row of sheet.rows) {
    const result = makeItem(row)
    if (typeof result === 'string') {
      list.faults.push({ line: row.line, reason: result })
    } else {
      seen.set(result.id, row.line)
      list.items.push(result)
      list.lines.push(row.line)
    }
  }
  list.faults.sort((a, b) => a.line - b.line)
  return list
}

/** Splits items into requests of at most `most` items and about `bytes` bytes. */
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

/** Addresses in columns of images and sounds that the worker's page does not load: it loads https: and data: only. */
export function countBlockedAddresses(sheet: Sheet, columns: Column[]): number {
  let blocked = 0
  for (const { name, role } of columns) {
    if (role !== 'image' && role !== 'audio') continue
    for (const row of sheet.rows) {
      const value = textOf(row.values[name]).trim()
      if (value !== '' && !isMedia(value, role)) blocked += 1
    }
  }
  return blocked
}

/** The kind of each field for the worker's page; text is the default. */
export function fieldKinds(columns: Column[]): Record<string, FieldKind> {
  const kinds: Record<string, FieldKind> = {}
  for (const { name, role } of columns) {
    if (role === 'image' || role === 'audio' || role === 'html' || role === 'hidden') {
      kinds[name] = role
    }
  }
  return kinds
}
