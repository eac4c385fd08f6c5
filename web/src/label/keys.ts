/**
 * Which key answers with which class. Every class has a digit while there are digits, and a letter
 * of its name that no other class and no command has. Where the classes are digits themselves, a
 * digit means itself.
 */
export interface Keys {
  digit: string | null
  letter: string | null
}

/** Keys that mean something else: skip, undo, play. */
export const kCommands = ['s', 'u', 'p']

export function keysFor(classes: readonly string[], commands: readonly string[] = kCommands): Keys[] {
  const plain = classes.every((one) => /^[0-9]$/.test(one))
  const digits = classes.map((one, n) => (plain ? one : n < 10 ? String((n + 1) % 10) : null))
  const taken = new Set(commands)
  const letters = classes.map((): string | null => null)
  // First letters first, so that "yes" has y although "maybe" has one too.
  for (const only of [1, Infinity]) {
    classes.forEach((one, n) => {
      if (letters[n]) return
      const found = [...one.toLowerCase()].slice(0, only).find((c) => /^\p{L}$/u.test(c) && !taken.has(c))
      if (found === undefined) return
      taken.add(found)
      letters[n] = found
    })
  }
  return digits.map((digit, n) => ({ digit, letter: letters[n] ?? null }))
}

/**
 * What a key press may mean, the likelier first: what it writes; and where that is no Latin letter or digit, what is on
 * the key of a Latin keyboard, so that s skips on a Greek one and the upper row has digits on a French one.
 */
export function meanings({ key, code }: { key: string; code: string }): string[] {
  const written = key.toLowerCase()
  const place = /^(?:Key|Digit|Numpad)([A-Z0-9])$/.exec(code)?.[1]?.toLowerCase()
  return place === undefined || /^[a-z0-9]$/.test(written) ? [written] : [written, place]
}

/** The class that a key stands for, as a place in the list. */
export function classOf(key: string, keys: readonly Keys[]): number | null {
  const small = key.toLowerCase()
  const found = keys.findIndex((one) => one.digit === small || one.letter === small)
  return found < 0 ? null : found
}
