// A draft as it is kept in its tab, so that neither a reload nor the browser's way back loses it.
// The file stands beside what was said about it, and only if it is not too large.
import type { Column } from './columns.ts'

export interface KeptDraft {
  step: number
  fileName: string
  /** Under which it is being made, if somebody began that: part of it may be on the server. */
  key?: string | null
  said: {
    columns: Column[]
    leaveOut: boolean
    name: string
    question: string
    instructions: string
    classes: string[]
    mode: 'labels' | 'money'
    labels: string
    money: string
    price: string
    most: string
    policy: string
    stop: string
    workers: string
  }
}

/** Letters; browsers have room for about five million in all. */
export const kLargestKept = 2_000_000
const kPrefix = 'allot.draft.'

export class DraftStore {
  private readonly said: string
  private readonly file: string

  /** Drafts of another token are another's. */
  constructor(
    private readonly storage: Storage | null,
    token: string,
  ) {
    const whose = kPrefix + (token.split('_')[1] ?? 'none')
    this.said = whose
    this.file = `${whose}.file`
  }

  /** Whether there was room; what was kept before is gone in any case. */
  keepFile(text: string): boolean {
    this.remove(this.file)
    return text.length <= kLargestKept && this.set(this.file, text)
  }

  keep(draft: KeptDraft): boolean {
    return this.set(this.said, JSON.stringify(draft))
  }

  /** What was said, and the file if it is there as well. */
  get(): { draft: KeptDraft; text: string | null } | null {
    try {
      const draft = JSON.parse(this.storage?.getItem(this.said) ?? 'null') as KeptDraft | null
      return draft && typeof draft.fileName === 'string' && Array.isArray(draft.said.columns)
        ? { draft, text: this.storage?.getItem(this.file) ?? null }
        : null
    } catch {
      return null
    }
  }

  clear() {
    this.remove(this.said)
    this.remove(this.file)
  }

  private set(name: string, value: string): boolean {
    try {
      this.storage?.setItem(name, value)
      return this.storage !== null
    } catch {
      return false
    }
  }

  private remove(name: string) {
    try {
      this.storage?.removeItem(name)
    } catch {
      // There was nothing then.
    }
  }
}

/** The tab's own, where the browser allows it. */
export function tabStorage(): Storage | null {
  try {
    return sessionStorage
  } catch {
    return null
  }
}

/** Whoever signs out leaves no file behind. */
export function forgetDrafts(storage: Storage | null = tabStorage()) {
  try {
    for (const name of Object.keys(storage ?? {})) if (name.startsWith(kPrefix)) storage?.removeItem(name)
  } catch {
    // There was nothing then.
  }
}
