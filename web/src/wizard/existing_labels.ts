// Labels that were given elsewhere, read from a file with one label per row.
import { texts } from '../texts.ts'
import type { Sheet } from './csv.ts'

export interface ExistingLabel {
  item: string
  worker: string
  label: string
}

/** Names that tools give to each column; the first that the file has counts. */
const kNames = {
  item: ['item', 'task', 'item_id', 'task_id', 'id'],
  worker: ['worker', 'annotator', 'performer', 'worker_id', 'annotator_id'],
  label: ['label', 'answer', 'response', 'annotation'],
}

const text = (value: unknown) => (typeof value === 'string' ? value.trim() : value === null || value === undefined ? '' : String(value as number))

/** The labels of the sheet; rows without a label are left out. */
export function existingLabels(sheet: Sheet): { ok: true; labels: ExistingLabel[] } | { ok: false; trouble: string } {
  const t = texts.requester.importLabels
  const found = Object.entries(kNames).map(([role, names]) => {
    const column = names.map((name) => sheet.columns.find((one) => one.toLowerCase() === name)).find(Boolean)
    return [role, column] as const
  })
  const missing = found.filter(([, column]) => column === undefined).map(([role]) => role)
  if (missing.length > 0) return { ok: false, trouble: t.missingColumns(missing.join(', ')) }
  const { item, worker, label } = Object.fromEntries(found) as Record<keyof ExistingLabel, string>
  const labels = sheet.rows
    .map(({ values }) => ({ item: text(values[item]), worker: text(values[worker]), label: text(values[label]) }))
    .filter((one) => one.item && one.worker && one.label)
  return labels.length > 0 ? { ok: true, labels } : { ok: false, trouble: t.noLabels }
}
