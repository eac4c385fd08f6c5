import { texts } from '../texts.ts'

export interface MadeLink {
  worker: string
  link: string
}

const kMost = 500

/** Names of workers, one a line. */
export function namesIn(text: string): { ok: true; names: string[] } | { ok: false; trouble: string } {
  const t = texts.requester.wizard.workers
  const names = text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
  const again = names.find((name, n) => names.indexOf(name) !== n)
  if (again !== undefined) return { ok: false, trouble: t.sameName(again) }
  if (names.length > kMost) return { ok: false, trouble: t.tooMany }
  return { ok: true, names }
}
