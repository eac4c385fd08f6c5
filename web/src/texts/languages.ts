/**
 * The pages of people who label, in every language that it speaks. A new language is a file such as label_de.ts and an
 * entry here; a missing sentence does not compile.
 */
import { account } from './account.ts'
import { accountDe } from './account_de.ts'
import { common } from './common.ts'
import { join } from './join.ts'
import { joinDe } from './join_de.ts'
import { label } from './label.ts'
import { labelDe } from './label_de.ts'

interface Language {
  /** The language's own name. */
  name: string
  label: typeof label
  join: typeof join
  account: typeof account
  common: Pick<typeof common, 'theme' | 'themes'>
}

const german: Language = {
  name: 'Deutsch',
  label: labelDe,
  join: joinDe,
  account: accountDe,
  common: { theme: 'Farben', themes: { auto: 'wie das System', light: 'hell', dark: 'dunkel' } },
}

export const kLanguages = { en: { name: 'English', label, join, account, common } as Language, de: german }

/** A language by the code that browsers have for it. */
export type LanguageCode = keyof typeof kLanguages
