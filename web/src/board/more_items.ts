// The columns of a file that adds items to a campaign.
import type { FieldKind } from '../api/types.ts'
import { guessColumns, type Column } from '../wizard/columns.ts'
import type { Sheet } from '../wizard/csv.ts'

const kKinds: readonly string[] = ['text', 'image', 'audio', 'html', 'hidden'] satisfies FieldKind[]

/** Uses the columns as the campaign does: its own fields keep their kinds, and no other column is shown. A campaign
 *  without fields takes the guesses. */
export function columnsLike(sheet: Sheet, known: readonly string[], kinds: Readonly<Record<string, FieldKind>>): Column[] {
  const fields = new Set([...known, ...Object.keys(kinds)])
  const guessed = guessColumns(sheet)
  if (!sheet.columns.some((name) => fields.has(name))) return guessed
  return guessed.map(({ name, role }) => {
    if (fields.has(name)) return { name, role: kinds[name] ?? 'text' }
    return { name, role: kKinds.includes(role) ? 'ignore' : role }
  })
}
