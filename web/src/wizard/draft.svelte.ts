// What the wizard has been told so far, and what is wrong with it. The steps only show it.
import type { NewCampaign } from '../api/report_types.ts'
import { kAdaptive } from '../board/policies.ts'
import { texts } from '../texts.ts'
import { fieldKinds, guessClasses, guessColumns, makeItems, type Column, type Items, type Role } from './columns.ts'
import { readSheet, type Sheet } from './csv.ts'
import { kLargestKept, type KeptDraft } from './kept.ts'

const t = texts.requester.wizard
const kShown: Role[] = ['text', 'image', 'audio', 'html']
const kOnce: Role[] = ['id', 'price', 'gold', 'truth']
export const kQuick = [3, 5, 7, 10]

const sameNames = (a: Column[], b: Column[]) =>
  a.length === b.length && a.every((column, n) => column.name === b[n]?.name)

export class Draft {
  fileName = $state('')
  /** The file as it was read, unless it is too large to be kept. */
  text: string | null = null
  /** The name of a file that was too large to be kept, and has to be chosen again. */
  missing = $state<string | null>(null)
  sheet = $state.raw<Sheet | null>(null)
  columns = $state<Column[]>([])
  /** The rows that cannot be used are left out: somebody said so. */
  leaveOut = $state(false)

  name = $state('')
  question = $state('')
  instructions = $state('')
  classes = $state<string[]>(['no', 'yes'])

  mode = $state<'labels' | 'money'>('labels')
  labels = $state('')
  money = $state('')
  price = $state('')
  most = $state('')
  policy = $state(kAdaptive)
  stop = $state('')

  workers = $state('')

  /** Under which it is being made; null while nothing of it was sent, for sure. */
  key = $state<string | null>(null)

  readonly items = $derived.by<Items>(() =>
    this.sheet ? makeItems(this.sheet, this.columns, this.classes, t.itemFaults) : { items: [], lines: [], faults: [] },
  )
  /** As the file stands, whatever the classes: faults of the first step. */
  readonly fileFaults = $derived.by(() => {
    if (!this.sheet) return []
    const answers = guessClasses(this.sheet, this.columns, Infinity)
    return makeItems(this.sheet, this.columns, answers, t.itemFaults).faults
  })

  take(name: string, text: string): void {
    this.read(name, text)
    this.leaveOut = false
    const guessed = this.sheet ? guessColumns(this.sheet) : []
    // What was said about the file before counts if this is the same.
    const again = this.missing !== null && sameNames(guessed, this.columns)
    this.missing = null
    if (again) return
    this.columns = guessed
    if (!this.sheet) return
    if (!this.name) this.name = name.replace(/\.[a-z]+$/i, '').replace(/[_-]+/g, ' ')
    const classes = guessClasses(this.sheet, this.columns)
    if (classes.length >= 2) this.classes = classes
    if (!this.labels) this.labels = String(Math.max(1, this.items.items.length * 5))
  }

  private read(name: string, text: string) {
    this.fileName = name
    this.text = text.length <= kLargestKept ? text : null
    this.sheet = readSheet(text, t.faults)
  }

  /** What has been said, to be kept. */
  snapshot(step: number): KeptDraft {
    const { fileName, leaveOut, name, question, instructions, mode, labels, money, price, most, policy, stop, workers } =
      this
    const [columns, classes] = [$state.snapshot(this.columns), $state.snapshot(this.classes)]
    const budget = { mode, labels, money, price, most, policy, stop }
    return { step, fileName, key: this.key, said: { columns, leaveOut, name, question, instructions, classes, ...budget, workers } }
  }

  /** As it was; without the file, that has to be chosen again. */
  restore({ fileName, key, said }: KeptDraft, text: string | null) {
    Object.assign(this, said)
    if (text === null) {
      // What is chosen now may be another file: that cannot go on under the same key.
      this.missing = fileName
    } else {
      this.read(fileName, text)
      this.key = key ?? null
    }
  }

  readonly columnTrouble = $derived.by(() => {
    for (const role of kOnce) {
      if (this.columns.filter((column) => column.role === role).length > 1) return t.file.twice(t.file.roles[role])
    }
    if (!this.columns.some((column) => kShown.includes(column.role))) return t.file.nothingShown
    return null
  })

  readonly classTrouble = $derived.by(() => {
    const names = this.classes.map((one) => one.trim())
    if (names.some((one) => one === '')) return t.question.emptyClass
    const again = names.find((one, n) => names.indexOf(one) !== n)
    if (again !== undefined) return t.question.sameClass(again)
    return names.length < 2 ? t.question.needClasses : null
  })

  /** What a label costs; a budget in labels needs no price. */
  readonly labelPrice = $derived(this.price.trim() === '' ? 1 : Number(this.price))
  readonly priceTrouble = $derived(this.labelPrice > 0 && Number.isFinite(this.labelPrice) ? null : t.budget.badPrice)
  /** In labels, whichever way it was said. */
  readonly budgetLabels = $derived(this.mode === 'labels' ? Number(this.labels) : Number(this.money) / this.labelPrice)
  readonly budget = $derived(
    this.mode === 'labels' ? Number((Number(this.labels) * this.labelPrice).toFixed(6)) : Number(this.money),
  )
  readonly budgetTrouble = $derived(this.budget > 0 && Number.isFinite(this.budget) ? null : t.budget.bad)
  readonly mostTrouble = $derived(
    this.most.trim() === '' || /^[1-9]\d{0,8}$/.test(this.most.trim()) ? null : t.budget.badMost,
  )

  /** Items that count for accuracy: those with a known answer are there to try workers on. */
  readonly openItems = $derived(this.items.items.filter((item) => item.gold === undefined).length)

  readonly request = $derived.by<NewCampaign>(() => {
    const page = {
      ...(this.question.trim() ? { question: this.question.trim() } : {}),
      ...(this.instructions.trim() ? { instructions: this.instructions } : {}),
      fields: fieldKinds(this.columns),
    }
    return {
      name: this.name.trim(),
      classes: this.classes.map((one) => one.trim()),
      budget: this.budget,
      policy: this.policy,
      ...(this.price.trim() ? { price: this.price.trim() } : {}),
      ...(this.most.trim() ? { labels_an_item: Number(this.most) } : {}),
      ...(this.stop ? { stop: [`accuracy:${this.stop}`] } : {}),
      page,
    }
  })
}
