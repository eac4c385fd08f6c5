// Stores a draft in its tab, so that neither a reload nor the Back button loses it. The file is stored
// beside the choices, unless it is too large.
import type { Column } from './columns.ts'
import type { Encoding } from './decode.ts'

/** Values that the wizard fills in. */
export interface Guesses {
  name: string
  question: string
  instructions: string
  classes: string[]
  ordered: boolean
  labels: string
}

export interface SavedDraft {
  step: number
  fileName: string
  /** The Idempotency-Key of the creation, if it has begun: part of the campaign may be on the server. */
  key?: string | null
  choices: {
    columns: Column[]
    skipRows: boolean
    name: string
    question: string
    instructions: string
    classes: string[]
    ordered?: boolean
    mode: 'labels' | 'money'
    labels: string
    money: string
    price: string
    currency?: string
    labelLimit: string
    policy: string
    stop: string
    workers: string
    modelsFirst?: boolean
    peopleSample?: string
  }
  file?: { encoding: Encoding | null; header: boolean | null }
  guesses?: Guesses
  templateClasses?: string[] | null
}

/** The longest file to store, in characters; browsers have room for about five million in all. */
export const kMaxStoredFile = 2_000_000
const kPrefix = 'allot.draft.'

export class DraftStore {
  private readonly draftName: string
  private readonly fileName: string

  /** Each token has its own draft. */
  constructor(
    private readonly storage: Storage | null,
    token: string,
  ) {
    this.draftName = kPrefix + (token.split('_')[1] ?? 'none')
    this.fileName = `${this.draftName}.file`
  }

  /** Replaces the stored file; returns whether there was room for the new one. */
  saveFile(text: string): boolean {
    this.remove(this.fileName)
    return text.length <= kMaxStoredFile && this.set(this.fileName, text)
  }

  save(draft: SavedDraft): boolean {
    return this.set(this.draftName, JSON.stringify(draft))
  }

  /** Returns the draft, and the text of its file if that is stored too. */
  get(): { draft: SavedDraft; text: string | null } | null {
    try {
      const draft = JSON.parse(this.storage?.getItem(this.draftName) ?? 'null') as SavedDraft | null
      return draft && typeof draft.fileName === 'string' && Array.isArray(draft.choices.columns)
        ? { draft, text: this.storage?.getItem(this.fileName) ?? null }
        : null
    } catch {
      return null
    }
  }

  clear() {
    this.remove(this.draftName)
    this.remove(this.fileName)
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
      // Without storage there is nothing to remove.
    }
  }
}

/** The storage of this tab, where the browser allows it. */
export function tabStorage(): Storage | null {
  try {
    return sessionStorage
  } catch {
    return null
  }
}

/** Removes all drafts and files, for signing out. */
export function forgetDrafts(storage: Storage | null = tabStorage()) {
  try {
    for (const name of Object.keys(storage ?? {})) if (name.startsWith(kPrefix)) storage?.removeItem(name)
  } catch {
    // Without storage there is nothing to remove.
  }
}
