import { money } from '../look/format.ts'
import { texts } from '../texts.ts'

/** Checks a budget that a person typed; `used` is the amount that is spent or reserved. */
export function budgetTrouble(text: string, used: number): string | null {
  const t = texts.requester.board.dialogs
  const value = text.trim()
  if (value === '') return t.budgetMissing
  if (!/^(\d+(\.\d{0,9})?|\.\d{1,9})$/.test(value) || Number(value) === 0) return t.badBudget(value)
  return Number(value) >= used ? null : t.lowBudget(money(used))
}
