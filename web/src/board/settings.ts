// The settings of a campaign as a form, and what a changed form sends to the server.
import type { Campaign, CampaignChange } from '../api/report_types.ts'
import type { PageClass } from '../api/types.ts'
import { texts } from '../texts.ts'

export interface SettingsForm {
  name: string
  question: string
  instructions: string
  classes: PageClass[]
  shuffle: boolean
  currency: string
  policy: string
  lease: string
  labelsPerItem: string
  labelsPerWorker: string
  goldRate: string
  stop: string
}

/** Writes "600s" as "10m". */
export function shortLease(lease: string): string {
  const seconds = Number(/^(\d+)s$/.exec(lease)?.[1])
  if (!Number.isFinite(seconds)) return lease
  for (const [unit, size] of [['d', 86_400], ['h', 3600], ['m', 60]] as const) {
    if (seconds % size === 0) return `${seconds / size}${unit}`
  }
  return lease
}

export function formOf(campaign: Campaign): SettingsForm {
  const { options, page } = campaign
  const shown = page?.classes ?? []
  return {
    name: campaign.name,
    question: page?.question ?? '',
    instructions: page?.instructions ?? '',
    classes: shown.length > 0 ? shown.map((one) => ({ ...one })) : options.classes.map((label) => ({ class: label, name: '', example: '' })),
    shuffle: page?.shuffle ?? false,
    currency: page?.currency ?? '',
    policy: options.policy,
    lease: shortLease(options.lease),
    labelsPerItem: String(options.labels_per_item ?? ''),
    labelsPerWorker: String(options.labels_per_worker ?? ''),
    goldRate: String(Number((options.gold_rate * 100).toFixed(6))),
    stop: options.stop.join('\n'),
  }
}

const lines = (text: string) =>
  text
    .split(/[\n,]/)
    .map((line) => line.trim())
    .filter(Boolean)

/** Fields that hold no valid value, with what to write instead. */
export function troublesOf(form: SettingsForm): Partial<Record<keyof SettingsForm, string>> {
  const t = texts.requester.settings
  const isLimit = (text: string) => /^\s*([1-9]\d{0,8})?\s*$/.test(text)
  const rate = Number(form.goldRate.trim() || NaN)
  return {
    ...(form.name.trim() === '' ? { name: t.nameMissing } : {}),
    ...(isLimit(form.labelsPerItem) ? {} : { labelsPerItem: t.badLimit }),
    ...(isLimit(form.labelsPerWorker) ? {} : { labelsPerWorker: t.badLimit }),
    ...(rate >= 0 && rate <= 100 ? {} : { goldRate: t.badRate }),
    ...(/^([a-zA-Z]{3})?$/.test(form.currency.trim()) ? {} : { currency: t.badCurrency }),
  }
}

/** The members that differ from the campaign, as PATCH takes them; null if none does. */
export function changesOf(campaign: Campaign, form: SettingsForm): CampaignChange | null {
  const before = formOf(campaign)
  const change: CampaignChange = {}
  const page: NonNullable<CampaignChange['page']> = {}
  const limit = (text: string) => text.trim() || 'any'
  if (form.name.trim() !== before.name) change.name = form.name.trim()
  if (form.question !== before.question) page.question = form.question
  if (form.instructions !== before.instructions) page.instructions = form.instructions
  if (JSON.stringify(form.classes) !== JSON.stringify(before.classes)) page.classes = form.classes
  if (form.shuffle !== before.shuffle) page.shuffle = form.shuffle
  const currency = form.currency.trim().toUpperCase()
  if (currency !== before.currency) page.currency = currency
  if (Object.keys(page).length > 0) change.page = page
  if (form.policy !== before.policy) change.policy = form.policy
  if (form.lease.trim() !== before.lease) change.lease = form.lease.trim()
  if (form.labelsPerItem.trim() !== before.labelsPerItem) change.labels_per_item = limit(form.labelsPerItem)
  if (form.labelsPerWorker.trim() !== before.labelsPerWorker) change.labels_per_worker = limit(form.labelsPerWorker)
  if (Number(form.goldRate) !== Number(before.goldRate)) change.gold_rate = Number(form.goldRate) / 100
  if (lines(form.stop).join() !== lines(before.stop).join()) change.stop = lines(form.stop)
  return Object.keys(change).length > 0 ? change : null
}
