import { texts } from '../texts.ts'

export interface WorkerLink {
  worker: string
  link: string
}

const kMaxNames = 500

/** Reads worker names from a text with one name per line. */
export function parseNames(text: string): { ok: true; names: string[] } | { ok: false; trouble: string } {
  const t = texts.requester.wizard.workers
  const names = text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
  const repeated = names.find((name, n) => names.indexOf(name) !== n)
  if (repeated !== undefined) return { ok: false, trouble: t.repeatedName(repeated) }
  if (names.length > kMaxNames) return { ok: false, trouble: t.tooMany }
  return { ok: true, names }
}
