// Reads files of items: CSV (separated by , ; or tab, with the usual quotes) and JSON. Every row
// knows the line on which it starts. A line that cannot be read becomes a fault; reading continues
// after it.
import { looksLikeHeader } from './header.ts'
import { readJson } from './json_rows.ts'

export interface Row {
  line: number
  values: Record<string, unknown>
}

export interface Fault {
  line: number
  reason: string
}

export interface Sheet {
  kind: 'csv' | 'jsonl' | 'json' | 'label-studio' | 'argilla'
  /** Whether the first row of a CSV file holds the names of columns, not an item. */
  header?: boolean
  columns: string[]
  rows: Row[]
  faults: Fault[]
}

/** The text of each fault. */
export interface CsvMessages {
  empty(): string
  noRows(): string
  unnamedColumn(column: number): string
  /** The name of a column in a file without names. */
  columnName(column: number): string
  repeatedColumn(name: string): string
  openQuote(): string
  textAfterQuote(): string
  width(found: number, expected: number): string
  badJson(reason: string): string
  notObject(): string
}

interface Line {
  line: number
  fields: string[]
  fault?: string
}

/** The most frequent separator in the line of column names, outside quotes. */
export function separatorOf(head: string): string {
  const bare = head.replace(/"(?:[^"]|"")*"/g, '')
  const counted = [',', ';', '\t'].map((separator) => ({ separator, count: bare.split(separator).length }))
  counted.sort((a, b) => b.count - a.count)
  return counted[0]?.separator ?? ','
}

/** Reads the records of a CSV text in one pass; quoted fields can hold separators, quotes and line ends. */
function* records(text: string, separator: string, messages: CsvMessages): Generator<Line> {
  let at = 0
  let line = 1
  while (at < text.length) {
    const record: Line = { line, fields: [] }
    let ended = false
    while (!ended) {
      let field: string
      if (text[at] === '"') {
        let end = at + 1
        for (;;) {
          end = text.indexOf('"', end)
          if (end < 0 || text[end + 1] !== '"') break
          end += 2
        }
        if (end < 0) {
          // The quote may be a typo: this line is a fault, and reading continues with the next.
          record.fault = messages.openQuote()
          const stop = text.indexOf('\n', at)
          at = stop < 0 ? text.length : stop + 1
          line += 1
          break
        }
        const quoted = text.slice(at + 1, end)
        line += quoted.split('\n').length - 1
        field = quoted.replaceAll('""', '"')
        at = end + 1
        const next = text[at]
        if (next !== undefined && next !== separator && next !== '\n' && next !== '\r') {
          record.fault ??= messages.textAfterQuote()
        }
        while (at < text.length && text[at] !== separator && text[at] !== '\n') at += 1
      } else {
        let end = at
        while (end < text.length && text[end] !== separator && text[end] !== '\n') end += 1
        field = text.slice(at, end).replace(/\r$/, '')
        at = end
      }
      record.fields.push(field)
      if (text[at] === separator) {
        at += 1
        continue
      }
      ended = true
      at += 1
      line += 1
    }
    if (record.fields.length === 1 && record.fields[0] === '' && !record.fault) continue
    yield record
  }
}

const kHeaderSample = 20

function nameColumns(sheet: Sheet, { line, fields, fault }: Line, messages: CsvMessages): void {
  if (fault) sheet.faults.push({ line, reason: fault })
  sheet.columns = fields.map((name) => name.trim())
  sheet.columns.forEach((name, n) => {
    if (!name) sheet.faults.push({ line, reason: messages.unnamedColumn(n + 1) })
    else if (sheet.columns.indexOf(name) !== n) sheet.faults.push({ line, reason: messages.repeatedColumn(name) })
  })
}

/** Reads a CSV text; without `header`, guesses whether the first row holds the names of columns. */
function readCsv(text: string, messages: CsvMessages, header: boolean | undefined): Sheet {
  const sheet: Sheet = { kind: 'csv', columns: [], rows: [], faults: [] }
  const start = text.search(/[^\r\n]/)
  const head = text.slice(start).split('\n', 1)[0] ?? ''
  const all = [...records(text, separatorOf(head), messages)]
  const first = all[0]
  if (!first) return sheet
  const sample = all.slice(1, 1 + kHeaderSample).map(({ fields }) => fields)
  sheet.header = header ?? looksLikeHeader(first.fields, sample)
  if (sheet.header) nameColumns(sheet, first, messages)
  else sheet.columns = first.fields.map((_, n) => messages.columnName(n + 1))
  for (const { line, fields, fault } of sheet.header ? all.slice(1) : all) {
    if (fault) {
      sheet.faults.push({ line, reason: fault })
    } else if (fields.length !== sheet.columns.length) {
      sheet.faults.push({ line, reason: messages.width(fields.length, sheet.columns.length) })
    } else {
      const values: Record<string, unknown> = {}
      sheet.columns.forEach((name, n) => (values[name] = fields[n]))
      sheet.rows.push({ line, values })
    }
  }
  return sheet
}

/** Reads a file. `header` tells whether the first row of a CSV file holds names; by default this is guessed. */
export function readSheet(text: string, messages: CsvMessages, header?: boolean): Sheet {
  const bare = text.replace(/^\uFEFF/, '')
  const first = bare.trimStart()[0]
  if (first === undefined) {
    return { kind: 'csv', columns: [], rows: [], faults: [{ line: 1, reason: messages.empty() }] }
  }
  const sheet = first === '{' || first === '[' ? readJson(bare, messages) : readCsv(bare, messages, header)
  if (sheet.rows.length === 0 && sheet.faults.length === 0) {
    sheet.faults.push({ line: 1, reason: messages.noRows() })
  }
  return sheet
}
