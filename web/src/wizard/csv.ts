// Files of items: CSV (separators , ; or tab, quotes as usual) and JSON lines, with the line on
// which each row starts. What cannot be read is a fault of that line; reading goes on after it.

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

export interface Words {
  empty(): string
  noRows(): string
  noName(column: number): string
  sameName(name: string): string
  openQuote(): string
  afterQuote(): string
  width(found: number, expected: number): string
  noJson(why: string): string
  noObject(): string
}

interface Line {
  line: number
  fields: string[]
  fault?: string
}

/** The separator that the line of names has most of, outside quotes. */
export function separatorOf(head: string): string {
  const bare = head.replace(/"(?:[^"]|"")*"/g, '')
  const counted = [',', ';', '\t'].map((one) => ({ one, count: bare.split(one).length }))
  counted.sort((a, b) => b.count - a.count)
  return counted[0]?.one ?? ','
}

/** Records of CSV text in one pass; quoted fields may hold separators, quotes and line ends. */
function* records(text: string, separator: string, words: Words): Generator<Line> {
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
          // The quote may be a slip: this line is at fault, and reading goes on with the next.
          record.fault = words.openQuote()
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
          record.fault ??= words.afterQuote()
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

function readCsv(text: string, words: Words): Sheet {
  const sheet: Sheet = { kind: 'csv', columns: [], rows: [], faults: [] }
  const start = text.search(/[^\r\n]/)
  const head = text.slice(start).split('\n', 1)[0] ?? ''
  const all = records(text, separatorOf(head), words)
  const names = all.next()
  if (names.done) return sheet
  if (names.value.fault) sheet.faults.push({ line: names.value.line, reason: names.value.fault })
  sheet.columns = names.value.fields.map((name) => name.trim())
  sheet.columns.forEach((name, n) => {
    if (!name) sheet.faults.push({ line: names.value.line, reason: words.noName(n + 1) })
    else if (sheet.columns.indexOf(name) !== n) {
      sheet.faults.push({ line: names.value.line, reason: words.sameName(name) })
    }
  })
  for (const { line, fields, fault } of all) {
    if (fault) {
      sheet.faults.push({ line, reason: fault })
    } else if (fields.length !== sheet.columns.length) {
      sheet.faults.push({ line, reason: words.width(fields.length, sheet.columns.length) })
    } else {
      const values: Record<string, unknown> = {}
      sheet.columns.forEach((name, n) => (values[name] = fields[n]))
      sheet.rows.push({ line, values })
    }
  }
  return sheet
}

function readLines(text: string, words: Words): Sheet {
  const sheet: Sheet = { kind: 'jsonl', columns: [], rows: [], faults: [] }
  const known = new Set<string>()
  text.split('\n').forEach((raw, n) => {
    if (raw.trim() === '') return
    let value: unknown
    try {
      value = JSON.parse(raw)
    } catch (wrong) {
      sheet.faults.push({ line: n + 1, reason: words.noJson((wrong as Error).message) })
      return
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      sheet.faults.push({ line: n + 1, reason: words.noObject() })
      return
    }
    const values = value as Record<string, unknown>
    for (const name of Object.keys(values)) known.add(name)
    sheet.rows.push({ line: n + 1, values })
  })
  sheet.columns = [...known]
  return sheet
}

export function readSheet(text: string, words: Words): Sheet {
  const bare = text.replace(/^\uFEFF/, '')
  const first = bare.trimStart()[0]
  if (first === undefined) {
    return { kind: 'csv', columns: [], rows: [], faults: [{ line: 1, reason: words.empty() }] }
  }
  const sheet = first === '{' ? readLines(bare, words) : readCsv(bare, words)
  if (sheet.rows.length === 0 && sheet.faults.length === 0) {
    sheet.faults.push({ line: 1, reason: words.noRows() })
  }
  return sheet
}
