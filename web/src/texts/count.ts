// Numbers inside sentences.

const wholeNumbers = new Intl.NumberFormat('en')

/** Writes 1234 as "1,234". */
export const number = (n: number) => wholeNumbers.format(n)

/** Writes "1 label" and "2 labels". */
export const counted = (n: number, singular: string, plural: string) => `${number(n)} ${n === 1 ? singular : plural}`

/** Writes “no”, “maybe” or “yes”. */
export function oneOf(names: string[]): string {
  const quoted = names.map((name) => `“${name}”`)
  return quoted.length < 2 ? quoted.join() : `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`
}
