// Numbers inside sentences.

/** Functions that write numbers as a language does. */
export function numbersIn(language: string) {
  const whole = new Intl.NumberFormat(language)
  const plurals = new Intl.PluralRules(language)
  return {
    /** Writes 1234 as "1,234". */
    number: (n: number) => whole.format(n),
    /** Writes "1 label" and "2 labels". */
    counted: (n: number, singular: string, plural: string) =>
      `${whole.format(n)} ${plurals.select(n) === 'one' ? singular : plural}`,
  }
}

export const { number, counted } = numbersIn('en')

/** Writes “no”, “maybe” or “yes”. */
export function oneOf(names: string[]): string {
  const quoted = names.map((name) => `“${name}”`)
  return quoted.length < 2 ? quoted.join() : `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`
}
