import { money } from '../look/format.ts'
import { texts } from '../texts.ts'

/** What is wrong with a budget as somebody wrote it, where so much is spent and reserved. */
export function budgetTrouble(text: string, used: number): string | null {
  const t = texts.requester.board.dialogs
  const value = text.trim()
  if (!/^(\d+(\.\d{0,9})?|\.\d{1,9})$/.test(value) || Number(value) === 0) return t.budgetBad(value)
  return Number(value) >= used ? null : t.budgetLow(value, money(used))
}
