// The requester's choices in the wizard so far, and what is wrong with them. The steps only show them.
import type { NewCampaign } from '../api/report_types.ts'
import { kAdaptive } from '../board/policies.ts'
import { texts } from '../texts.ts'
import { fieldKinds, guessClasses, guessColumns, makeItems, type Column, type ItemList, type Role } from './columns.ts'
import { readSheet, type Sheet } from './csv.ts'
import { kMaxStoredFile, type SavedDraft } from './draft_store.ts'

const t = texts.requester.wizard
const kShownRoles: Role[] = ['text', 'image', 'audio', 'html']
const kUniqueRoles: Role[] = ['id', 'price', 'gold', 'truth']
/** Labels per item that the budget step offers. */
export const kQuickChoices = [3, 5, 7, 10]

const sameNames = (a: Column[], b: Column[]) =>
  a.length === b.length && a.every((column, n) => column.name === b[n]?.name)

export class Draft {
  fileName = $state('')
  /** The text of the file, unless it is too large to store. */
  text: string | null = null
  /** The name of a file that was too large to store, so the requester must choose it again. */
  missing = $state<string | null>(null)
  sheet = $state.raw<Sheet | null>(null)
  columns = $state<Column[]>([])
  /** Whether the requester agreed to skip the rows that cannot be used. */
  skipRows = $state(false)

  name = $state('')
  question = $state('')
  instructions = $state('')
  classes = $state<string[]>(['no', 'yes'])
  /** Whether the answers have an order, as grades do; with two answers it says nothing. */
  ordered = $state(false)

  mode = $state<'labels' | 'money'>('labels')
  labels = $state('')
  money = $state('')
  price = $state('')
  /** The most labels per item; empty for no limit. */
  labelLimit = $state('')
  policy = $state(kAdaptive)
  stop = $state('')

  workers = $state('')

  /** The Idempotency-Key of the creation; null while certainly nothing was sent. */
  key = $state<string | null>(null)

  readonly items = $derived.by<ItemList>(() =>
    this.sheet ? makeItems(this.sheet, this.columns, this.classes, t.itemFaults) : { items: [], lines: [], faults: [] },
  )
  /** Faults of the file that no choice of classes can mend, for the first step. */
  readonly fileFaults = $derived.by(() => {
    if (!this.sheet) return []
    const answers = guessClasses(this.sheet, this.columns, Infinity)
    return makeItems(this.sheet, this.columns, answers, t.itemFaults).faults
  })

  loadFile(name: string, text: string): void {
    this.read(name, text)
    this.skipRows = false
    const guessed = this.sheet ? guessColumns(this.sheet) : []
    // The roles of columns stay if this is the file that was missing.
    const isMissingFile = this.missing !== null && sameNames(guessed, this.columns)
    this.missing = null
    if (isMissingFile) return
    this.columns = guessed
    if (!this.sheet) return
    if (!this.name) this.name = name.replace(/\.[a-z]+$/i, '').replace(/[_-]+/g, ' ')
    const classes = guessClasses(this.sheet, this.columns)
    if (classes.length >= 2) this.classes = classes
    if (!this.labels) this.labels = String(Math.max(1, this.items.items.length * 5))
  }

  private read(name: string, text: string) {
    this.fileName = name
    this.text = text.length <= kMaxStoredFile ? text : null
    this.sheet = readSheet(text, t.csvFaults)
  }

  /** The choices so far, to be stored. */
  snapshot(step: number): SavedDraft {
    const { fileName, skipRows, name, question, instructions, ordered, workers } = this
    const { mode, labels, money, price, labelLimit, policy, stop } = this
    const [columns, classes] = [$state.snapshot(this.columns), $state.snapshot(this.classes)]
    const budget = { mode, labels, money, price, labelLimit, policy, stop }
    const choices = { columns, skipRows, name, question, instructions, classes, ordered, ...budget, workers }
    return { step, fileName, key: this.key, choices }
  }

  /** Restores a stored draft. Without the text of the file, the requester must choose it again. */
  restore({ fileName, key, choices }: SavedDraft, text: string | null) {
    Object.assign(this, choices)
    if (text === null) {
      // The next file may be a different one, so the creation cannot continue under the same key.
      this.missing = fileName
    } else {
      this.read(fileName, text)
      this.key = key ?? null
    }
  }

  readonly columnTrouble = $derived.by(() => {
    for (const role of kUniqueRoles) {
      if (this.columns.filter((column) => column.role === role).length > 1) return t.file.repeatedRole(t.file.roles[role])
    }
    if (!this.columns.some((column) => kShownRoles.includes(column.role))) return t.file.nothingShown
    return null
  })

  readonly classTrouble = $derived.by(() => {
    const names = this.classes.map((name) => name.trim())
    if (names.some((name) => name === '')) return t.question.emptyAnswer
    const repeated = names.find((name, n) => names.indexOf(name) !== n)
    if (repeated !== undefined) return t.question.repeatedAnswer(repeated)
    return names.length < 2 ? t.question.tooFewAnswers : null
  })

  /** The price per label, 1 if none is given: a budget in labels needs no price. */
  readonly labelPrice = $derived(this.price.trim() === '' ? 1 : Number(this.price))
  readonly priceTrouble = $derived(this.labelPrice > 0 && Number.isFinite(this.labelPrice) ? null : t.budget.badPrice)
  /** The budget as a number of labels, in either mode. */
  readonly budgetLabels = $derived(this.mode === 'labels' ? Number(this.labels) : Number(this.money) / this.labelPrice)
  readonly budget = $derived(
    this.mode === 'labels' ? Number((Number(this.labels) * this.labelPrice).toFixed(6)) : Number(this.money),
  )
  readonly budgetTrouble = $derived(this.budget > 0 && Number.isFinite(this.budget) ? null : t.budget.badBudget)
  readonly labelLimitTrouble = $derived(
    this.labelLimit.trim() === '' || /^[1-9]\d{0,8}$/.test(this.labelLimit.trim()) ? null : t.budget.badLabelLimit,
  )

  /** The number of items that count for accuracy; items with a known answer only test workers. */
  readonly openItems = $derived(this.items.items.filter((item) => item.gold === undefined).length)

  readonly request = $derived.by<NewCampaign>(() => {
    const page = {
      ...(this.question.trim() ? { question: this.question.trim() } : {}),
      ...(this.instructions.trim() ? { instructions: this.instructions } : {}),
      fields: fieldKinds(this.columns),
    }
    return {
      name: this.name.trim(),
      classes: this.classes.map((name) => name.trim()),
      budget: this.budget,
      policy: this.policy,
      ...(this.ordered && this.classes.length > 2 ? { ordered: true } : {}),
      ...(this.price.trim() ? { price: this.price.trim() } : {}),
      ...(this.labelLimit.trim() ? { labels_an_item: Number(this.labelLimit) } : {}),
      ...(this.stop ? { stop: [`accuracy:${this.stop}`] } : {}),
      page,
    }
  })
}
