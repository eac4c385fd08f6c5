// Reads items from JSON: one object per line, an array of objects, or an object that holds one array.
// Tasks of Label Studio and records of Argilla are recognised and flattened to columns.
import type { CsvMessages, Row, Sheet } from './csv.ts'

type JsonObject = Record<string, unknown>

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

interface Piece {
  line: number
  text: string
}

/** Finds the values of a list by their brackets, from `start` up to the bracket that ends the list. */
function* piecesOf(text: string, start: number): Generator<Piece> {
  let line = 1
  for (let at = 0; at < start; ++at) if (text[at] === '\n') line += 1
  let depth = 0
  let begin = -1
  let beginLine = line
  for (let at = start; at <= text.length; ++at) {
    const sign = text[at]
    const ends = sign === undefined || (depth === 0 && (sign === ',' || sign === ']'))
    if (ends && begin >= 0) yield { line: beginLine, text: text.slice(begin, at).trim() }
    if (sign === undefined || (depth === 0 && sign === ']')) return
    if (ends) {
      begin = -1
      continue
    }
    if (sign === '\n') line += 1
    if (begin < 0 && !/\s/.test(sign)) {
      begin = at
      beginLine = line
    }
    if (sign === '{' || sign === '[') depth += 1
    else if (sign === '}' || sign === ']') depth -= 1
    else if (sign === '"') {
      for (at += 1; at < text.length && text[at] !== '"'; ++at) {
        if (text[at] === '\\') at += 1
        else if (text[at] === '\n') line += 1
      }
    }
  }
}

/** The place after the bracket that opens the list of items in an object such as {"items": [...]}; -1 without one. */
function listIn(text: string): number {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return -1
  }
  if (!isObject(value)) return -1
  const lists = Object.entries(value).filter(([, member]) => Array.isArray(member) && member.some(isObject))
  const [name] = lists[0] ?? []
  if (name === undefined || lists.length > 1) return -1
  const opening = `${JSON.stringify(name).replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}\\s*:\\s*\\[`
  const found = new RegExp(opening).exec(text)
  return found ? found.index + found[0].length : -1
}

/** The known answer of a task: the choice of an annotation that is marked as ground truth. */
function groundTruthOf(task: JsonObject): string | undefined {
  const annotations = Array.isArray(task.annotations) ? task.annotations.filter(isObject) : []
  const results = annotations.find((annotation) => annotation.ground_truth === true)?.result
  for (const result of Array.isArray(results) ? results.filter(isObject) : []) {
    const choices = isObject(result.value) ? result.value.choices : undefined
    if (Array.isArray(choices) && choices.length === 1 && typeof choices[0] === 'string') return choices[0]
  }
  return undefined
}

const isTask = (value: JsonObject) =>
  isObject(value.data) && Object.keys(value).every((name) => name === 'data' || !isObject(value[name]) || name === 'meta')
const isRecord = (value: JsonObject) =>
  isObject(value.fields) && ['id', 'external_id', 'responses', 'suggestions', 'metadata'].some((name) => name in value)

function flattenTask(task: JsonObject): JsonObject {
  const answer = groundTruthOf(task)
  return {
    ...(task.id === undefined ? {} : { id: task.id }),
    ...(task.data as JsonObject),
    ...(answer === undefined ? {} : { gold: answer }),
  }
}

function flattenRecord(record: JsonObject): JsonObject {
  const id = record.external_id ?? record.id
  return { ...(id === undefined || id === null ? {} : { id }), ...(record.fields as JsonObject) }
}

/** Replaces tasks and records by their columns, if all rows have that shape. */
function flatten(sheet: Sheet): void {
  const convert = (kind: Sheet['kind'], how: (value: JsonObject) => JsonObject) => {
    sheet.kind = kind
    sheet.rows = sheet.rows.map(({ line, values }): Row => ({ line, values: how(values) }))
  }
  if (sheet.rows.length === 0) return
  if (sheet.rows.every(({ values }) => isTask(values))) convert('label-studio', flattenTask)
  else if (sheet.rows.every(({ values }) => isRecord(values))) convert('argilla', flattenRecord)
}

function* linesOf(text: string): Generator<Piece> {
  let line = 0
  for (const raw of text.split('\n')) {
    line += 1
    if (raw.trim() !== '') yield { line, text: raw }
  }
}

function parses(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Reads a text that starts with { or [. */
export function readJson(text: string, messages: CsvMessages): Sheet {
  const sheet: Sheet = { kind: 'json', columns: [], rows: [], faults: [] }
  const start = text.search(/\S/)
  let pieces: Generator<Piece>
  if (text[start] === '[') {
    pieces = piecesOf(text, start + 1)
  } else {
    const first = text.slice(start).split('\n', 1)[0] ?? ''
    const isLines = parses(first) && text.slice(start + first.length).trim() !== ''
    const list = isLines ? -1 : listIn(text)
    // An object over several lines is one item.
    const isOne = !isLines && list < 0 && parses(text)
    pieces = list >= 0 ? piecesOf(text, list) : isOne ? piecesOf(text, start) : linesOf(text)
    if (list < 0 && !isOne) sheet.kind = 'jsonl'
  }
  for (const { line, text: raw } of pieces) {
    let value: unknown
    try {
      value = JSON.parse(raw)
    } catch (error) {
      sheet.faults.push({ line, reason: messages.badJson((error as Error).message) })
      continue
    }
    if (isObject(value)) sheet.rows.push({ line, values: value })
    else sheet.faults.push({ line, reason: messages.notObject() })
  }
  flatten(sheet)
  const known = new Set<string>()
  for (const { values } of sheet.rows) for (const name of Object.keys(values)) known.add(name)
  sheet.columns = [...known]
  return sheet
}
