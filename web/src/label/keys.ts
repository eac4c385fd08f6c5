/**
 * Keys that answer with a class. The first ten classes have a digit. A class also has a letter of its
 * name, unless every letter belongs to another class or a command. Where the classes are digits
 * themselves, a digit means itself.
 */
export interface AnswerKeys {
  digit: string | null
  letter: string | null
}

export function keysFor(classes: readonly string[], commands: readonly string[]): AnswerKeys[] {
  const areDigits = classes.every((name) => /^[0-9]$/.test(name))
  const digits = classes.map((name, n) => (areDigits ? name : n < 10 ? String((n + 1) % 10) : null))
  const taken = new Set(commands)
  const letters = classes.map((): string | null => null)
  // First letters come first, so that "yes" gets y although "maybe" has one too.
  for (const length of [1, Infinity]) {
    classes.forEach((name, n) => {
      if (letters[n]) return
      const free = [...name.toLowerCase()].slice(0, length).find((c) => /^\p{L}$/u.test(c) && !taken.has(c))
      if (free === undefined) return
      taken.add(free)
      letters[n] = free
    })
  }
  return digits.map((digit, n) => ({ digit, letter: letters[n] ?? null }))
}

/**
 * Meanings of a key press, the likelier first: the character it writes and, where that is not a Latin
 * letter or digit, the character of that key on a Latin keyboard. So s skips on a Greek keyboard, and
 * the upper row gives digits on a French one.
 */
export function keyMeanings({ key, code }: { key: string; code: string }): string[] {
  const written = key.toLowerCase()
  const latin = /^(?:Key|Digit|Numpad)([A-Z0-9])$/.exec(code)?.[1]?.toLowerCase()
  return latin === undefined || /^[a-z0-9]$/.test(written) ? [written] : [written, latin]
}

/** The index of the class that a key answers with. */
export function classForKey(key: string, keys: readonly AnswerKeys[]): number | null {
  const lower = key.toLowerCase()
  const found = keys.findIndex(({ digit, letter }) => digit === lower || letter === lower)
  return found < 0 ? null : found
}
