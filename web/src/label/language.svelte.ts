/**
 * The language of the page: English, unless `start` finds another one that the person chose before or that
 * the browser asks for.
 */
import { kLanguages, type LanguageCode } from '../texts/languages.ts'
import { settings } from './link.ts'

const kSetting = 'allot.language'

const isCode = (code: string): code is LanguageCode => Object.hasOwn(kLanguages, code)

/** The first of these languages that has texts; regions such as de-AT do not matter. */
export function pickLanguage(wanted: readonly (string | null)[]): LanguageCode {
  return wanted.map((tag) => tag?.toLowerCase().split('-')[0] ?? '').find(isCode) ?? 'en'
}

class PageLanguage {
  code = $state<LanguageCode>('en')

  get texts() {
    return kLanguages[this.code]
  }

  start(wanted: readonly string[] = navigator.languages) {
    this.set(pickLanguage([settings.get(kSetting), ...wanted]))
  }

  choose(code: LanguageCode) {
    settings.set(kSetting, code)
    this.set(code)
  }

  private set(code: LanguageCode) {
    this.code = code
    document.documentElement.lang = code
  }
}

export const language = new PageLanguage()
