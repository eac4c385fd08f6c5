// Reads files of items: CSV (separated by , ; or tab, with the usual quotes) and JSON Lines. Every row
// knows the line on which it starts. A line that cannot be read becomes a fault; reading continues
// after it.

export interface Row {
  line: number
  values: Record<string, unknown>
}

export interface Fault {
  line: number
  reason: string
}

export interface Sheet {
  kind: 'csv' | 'jsonl'
  columns: string[]
  rows: Row[]
  faults: Fault[]
}

/** The text of each fault. */
export interface CsvMessages {
  empty(): string
  noRows(): string
  unnamedColumn(column: number): string
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

function readCsv(text: string, messages: CsvMessages): Sheet {
  const sheet: Sheet = { kind: 'csv', columns: [], rows: [], faults: [] }
  const start = text.search(/[^\r\n]/)
  const head = text.slice(start).split('\n', 1)[0] ?? ''
  const all = records(text, separatorOf(head), messages)
  const names = all.next()
  if (names.done) return sheet
  if (names.value.fault) sheet.faults.push({ line: names.value.line, reason: names.value.fault })
  sheet.columns = names.value.fields.map((name) => name.trim())
  sheet.columns.forEach((name, n) => {
    if (!name) sheet.faults.push({ line: names.value.line, reason: messages.unnamedColumn(n + 1) })
    else if (sheet.columns.indexOf(name) !== n) {
      sheet.faults.push({ line: names.value.line, reason: messages.repeatedColumn(name) })
    }
  })
  for (const { line, fields, fault } of all) {
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

function readLines(text: string, messages: CsvMessages): Sheet {
  const sheet: Sheet = { kind: 'jsonl', columns: [], rows: [], faults: [] }
  const known = new Set<string>()
  text.split('\n').forEach((raw, n) => {
    if (raw.trim() === '') return
    let value: unknown
    try {
      value = JSON.parse(raw)
    } catch (error) {
      sheet.faults.push({ line: n + 1, reason: messages.badJson((error as Error).message) })
      return
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      sheet.faults.push({ line: n + 1, reason: messages.notObject() })
      return
    }
    const values = value as Record<string, unknown>
    for (const name of Object.keys(values)) known.add(name)
    sheet.rows.push({ line: n + 1, values })
  })
  sheet.columns = [...known]
  return sheet
}

export function readSheet(text: string, messages: CsvMessages): Sheet {
  const bare = text.replace(/^\uFEFF/, '')
  const first = bare.trimStart()[0]
  if (first === undefined) {
    return { kind: 'csv', columns: [], rows: [], faults: [{ line: 1, reason: messages.empty() }] }
  }
  const sheet = first === '{' ? readLines(bare, messages) : readCsv(bare, messages)
  if (sheet.rows.length === 0 && sheet.faults.length === 0) {
    sheet.faults.push({ line: 1, reason: messages.noRows() })
  }
  return sheet
}
