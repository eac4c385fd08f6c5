// Guesses whether the first row of a CSV file holds the names of its columns.

const kKnownNames =
  /^(id|item|task|uid|text|title|message|comment|review|question|query|result|document|body|content|sentence|image|audio|picture|url|html|gold|truth|label|class|answer|target|category|price|cost|name|date|author|language)s?([ _-]?\w+)?$/i

/** Whether a value looks like content: a number, an address, a date, markup or a sentence. */
function isContent(value: string): boolean {
  const text = value.trim()
  if (text === '') return true
  if (/^[-+]?[\d.,]+%?$/.test(text)) return true
  if (/^(https?:|data:|<\w)/i.test(text)) return true
  if (/^\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}/.test(text)) return true
  if (text.length > 60) return true
  return /[.!?…]$/.test(text) || text.split(/\s+/).length > 5
}

/** Whether `first` looks like names of columns, given a few of the rows below it. */
export function looksLikeHeader(first: string[], rows: string[][]): boolean {
  const names = first.map((name) => name.trim())
  const known = names.filter((name) => kKnownNames.test(name)).length
  const contents = names.filter((name) => !kKnownNames.test(name) && isContent(name)).length
  if (known > contents) return true
  if (contents > 0) return false
  if (new Set(names).size < names.length) return false
  // Names do not occur among the values below them.
  if (names.some((name, n) => rows.some((row) => row[n]?.trim() === name))) return false
  // One short word above other short words tells nothing: most files have names.
  return true
}
