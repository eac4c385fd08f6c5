// The requester's choices in the wizard so far, and what is wrong with them. The steps only show them.
import type { NewCampaign } from '../api/report_types.ts'
import { kAdaptive, kOfferedPolicies, policyName } from '../board/policies.ts'
import { texts } from '../texts.ts'
import { fieldKinds, guessClasses, guessColumns, makeItems, type Column, type ItemList, type Role } from './columns.ts'
import { readSheet, type Sheet } from './csv.ts'
import type { Encoding } from './decode.ts'
import { kMaxStoredFile, type Guesses, type SavedDraft } from './draft_store.ts'
import { kExample } from './example.ts'
import type { Template } from './templates.ts'

const t = texts.requester.wizard
const kShownRoles: Role[] = ['text', 'image', 'audio', 'html']
const kUniqueRoles: Role[] = ['id', 'price', 'gold', 'truth']
/** Labels per item that the budget step offers. */
export const kQuickChoices = [3, 5, 7, 10]

/** Labels per item in the budget that the wizard suggests, and above which it asks whether they are meant. */
const kSuggestedPerItem = 5
const kManyPerItem = 25
/** Items that people label beside language models, unless there are fewer. */
const kPeopleSample = 50
/** The part of the budget that a proposed people's sample takes at most. */
const kSampleShare = 1 / 3
const kNoGuesses: Guesses = { name: '', question: '', instructions: '', classes: ['', ''], ordered: false, labels: '' }

const sameNames = (a: Column[], b: Column[]) =>
  a.length === b.length && a.every((column, n) => column.name === b[n]?.name)

/** An amount with a decimal point, where people write a comma: "0,05". A comma before three digits can mean thousands and stays. */
const withPoint = (text: string) => text.trim().replace(/^(\d+),(\d{1,2}|(?<=^0,)\d+)$/, '$1.$2')
const decimal = (text: string) => Number(withPoint(text))

export class Draft {
  fileName = $state('')
  /** The text of the file, unless it is too large to store. */
  text: string | null = null
  /** The name of a file that was too large to store, so the requester must choose it again. */
  missing = $state<string | null>(null)
  /** The whole text, also of a large file, until the tab is closed. */
  private whole = ''
  /** The encoding of the file, unless it is UTF-8. */
  encoding = $state<Encoding | null>(null)
  /** Whether the requester said that the first row holds the names of columns; null to guess it. */
  header = $state<boolean | null>(null)
  sheet = $state.raw<Sheet | null>(null)
  columns = $state<Column[]>([])
  /** Whether the requester agreed to skip the rows that cannot be used. */
  skipRows = $state(false)

  name = $state('')
  question = $state('')
  instructions = $state('')
  classes = $state<string[]>(['', ''])
  /** Whether the answers have an order, as grades do; with two answers it says nothing. */
  ordered = $state(false)

  mode = $state<'labels' | 'money'>('labels')
  labels = $state('')
  money = $state('')
  price = $state('')
  /** ISO 4217 code; empty for none. */
  currency = $state('')
  /** The most labels per item; empty for no limit. */
  labelLimit = $state('')
  policy = $state(kAdaptive)
  stop = $state('')

  workers = $state('')
  /** Whether language models label first, and people where needed. */
  modelsFirst = $state(false)
  /** Random items that people label too; empty for the usual number. */
  peopleSample = $state('')

  /** Values that the wizard filled in; a field that differs from its guess was changed by the requester. */
  private guesses: Guesses = kNoGuesses
  /** Answers of the chosen template. */
  private templateClasses: string[] | null = null

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

  /** Reads a file and fills every field that the requester has not changed. */
  loadFile(name: string, text: string, encoding: Encoding = 'UTF-8'): void {
    this.header = null
    this.encoding = encoding === 'UTF-8' ? null : encoding
    this.read(name, text)
    this.skipRows = false
    const guessed = this.sheet ? guessColumns(this.sheet) : []
    // The roles of columns stay if this is the file that was missing.
    const isMissingFile = this.missing !== null && sameNames(guessed, this.columns)
    this.missing = null
    if (isMissingFile) return
    this.columns = guessed
    // What the example asks does not fit another file.
    this.fill(this.guesses.question === t.example.question ? { name: '', question: '' } : {})
  }

  /** Loads the example, with its question. */
  loadExample(): void {
    this.loadFile('messages.csv', kExample)
    this.fill(t.example)
  }

  /** Reads the file again after the requester said whether its first row holds names. */
  setHeader(header: boolean): void {
    if (!this.whole) return
    this.header = header
    this.read(this.fileName, this.whole)
    this.columns = this.sheet ? guessColumns(this.sheet) : []
    this.skipRows = false
    this.fill({})
  }

  /** Loads the sample of a template and fills in its question. The question stays for files that follow. */
  applyTemplate(template: Template): void {
    this.templateClasses = template.classes
    this.loadFile(template.fileName, template.sample)
    const { question, instructions, ordered } = template
    this.fill({ name: template.name, question, instructions, ordered })
  }

  /** Whether the header can still be changed: the text of a large file is gone after a reload. */
  readonly canReread = $derived(this.sheet !== null && this.whole !== '')

  /** Fills the guesses in, wherever the field still has the guess before. */
  private fill(guesses: Partial<Guesses>): void {
    const next: Guesses = { ...this.guesses, ...guesses }
    if (this.sheet) {
      const found = guessClasses(this.sheet, this.columns)
      const usual = this.templateClasses ?? []
      const classes = found.every((name) => usual.includes(name)) ? usual : found
      next.classes = [...classes, ...kNoGuesses.classes.slice(classes.length)]
    }
    const unchanged = (now: unknown, before: unknown) => JSON.stringify(now) === JSON.stringify(before)
    if (unchanged(this.name, this.guesses.name)) this.name = next.name
    if (unchanged(this.question, this.guesses.question)) this.question = next.question
    if (unchanged(this.instructions, this.guesses.instructions)) this.instructions = next.instructions
    if (unchanged(this.ordered, this.guesses.ordered)) this.ordered = next.ordered
    if (unchanged(this.classes, this.guesses.classes)) this.classes = [...next.classes]
    // The number of items depends on the answers.
    next.labels = String(Math.max(1, this.openItems * kSuggestedPerItem))
    if (unchanged(this.labels, this.guesses.labels)) this.labels = next.labels
    this.guesses = next
  }

  private read(name: string, text: string) {
    this.fileName = name
    this.whole = text
    this.text = text.length <= kMaxStoredFile ? text : null
    this.sheet = readSheet(text, t.csvFaults, this.header ?? undefined)
  }

  /** The choices so far, to be stored. */
  snapshot(step: number): SavedDraft {
    const { fileName, skipRows, name, question, instructions, ordered, workers, modelsFirst, peopleSample } = this
    const { mode, labels, money, price, currency, labelLimit, policy, stop } = this
    const [columns, classes] = [$state.snapshot(this.columns), $state.snapshot(this.classes)]
    const budget = { mode, labels, money, price, currency, labelLimit, policy, stop }
    const crowd = { workers, modelsFirst, peopleSample }
    const choices = { columns, skipRows, name, question, instructions, classes, ordered, ...budget, ...crowd }
    const { encoding, header, guesses, templateClasses } = this
    return { step, fileName, key: this.key, choices, file: { encoding, header }, guesses, templateClasses }
  }

  /** Restores a stored draft. Without the text of the file, the requester must choose it again. */
  restore({ fileName, key, choices, file, guesses, templateClasses }: SavedDraft, text: string | null) {
    Object.assign(this, choices)
    this.encoding = file?.encoding ?? null
    this.header = file?.header ?? null
    this.guesses = guesses ?? kNoGuesses
    this.templateClasses = templateClasses ?? null
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

  /** The last step that the choices so far allow. */
  readonly furthest = $derived.by(() => {
    if (!this.sheet || this.columnTrouble !== null || this.items.items.length === 0) return 0
    return this.name.trim() === '' || this.classTrouble !== null ? 1 : 3
  })

  /** The price per label, 1 if none is given: a budget in labels needs no price. */
  readonly labelPrice = $derived(this.price.trim() === '' ? 1 : decimal(this.price))
  readonly priceTrouble = $derived(this.labelPrice > 0 && Number.isFinite(this.labelPrice) ? null : t.budget.badPrice)
  /** The budget as a number of labels, in either mode. */
  readonly budgetLabels = $derived(this.mode === 'labels' ? Number(this.labels) : decimal(this.money) / this.labelPrice)
  readonly budget = $derived(
    this.mode === 'labels' ? Number((Number(this.labels) * this.labelPrice).toFixed(6)) : decimal(this.money),
  )
  readonly budgetTrouble = $derived(this.budget > 0 && Number.isFinite(this.budget) ? null : t.budget.badBudget)
  readonly labelLimitTrouble = $derived(
    this.labelLimit.trim() === '' || /^[1-9]\d{0,8}$/.test(this.labelLimit.trim()) ? null : t.budget.badLabelLimit,
  )

  /** The number of items that count for accuracy; items with a known answer only test workers. */
  readonly openItems = $derived(this.items.items.filter((item) => item.gold === undefined).length)
  readonly goldItems = $derived(this.items.items.length - this.openItems)
  /** Items that get no label, because the budget pays for fewer labels than there are items. */
  readonly unpaidItems = $derived(
    this.budgetLabels > 0 && Number.isFinite(this.budgetLabels) ? Math.max(0, Math.ceil(this.openItems - this.budgetLabels)) : 0,
  )

  readonly labelsPerItem = $derived(this.openItems > 0 ? this.budgetLabels / this.openItems : 0)
  /** What about the budget and the limit is allowed, but probably not meant. */
  readonly budgetWarnings = $derived.by<string[]>(() => {
    if (this.budgetTrouble ?? this.priceTrouble) return []
    const [paid, limit] = [Math.floor(this.budgetLabels + 1e-9), Number(this.labelLimit)]
    const hasLimit = this.labelLimit.trim() !== '' && !this.labelLimitTrouble
    return [
      ...(this.unpaidItems > 0 ? [t.budget.unpaidItems(this.unpaidItems)] : []),
      ...(this.labelsPerItem > kManyPerItem ? [t.budget.manyLabels(this.labelsPerItem)] : []),
      ...(hasLimit && limit * this.openItems < paid ? [t.budget.limitBelowBudget(limit * this.openItems, paid)] : []),
      ...(hasLimit && limit > paid ? [t.budget.limitAboveBudget(limit)] : []),
    ]
  })

  /** The people's sample to propose: some items, but at most a third of the budget, so that models have money too. */
  readonly usualSample = $derived.by(() => {
    const affordable = this.budgetLabels > 0 && Number.isFinite(this.budgetLabels) ? Math.floor(this.budgetLabels * kSampleShare + 1e-9) : 1
    return Math.max(1, Math.min(kPeopleSample, this.openItems, affordable))
  })
  readonly sampleSize = $derived(this.peopleSample.trim() === '' ? this.usualSample : Number(this.peopleSample))
  /** Whether the budget counts labels, although models have prices in money. */
  readonly countsLabels = $derived(this.price.trim() === '' && this.currency === '')
  /** Why language models cannot label first with these choices. */
  readonly modelsTrouble = $derived.by(() => {
    if (!this.modelsFirst) return null
    const policy = kOfferedPolicies.find((offered) => offered.policy === this.policy)
    if (policy?.twoOnly) return t.workers.policyTrouble(policyName(this.policy))
    const paid = Math.floor(this.budgetLabels + 1e-9)
    const most = Math.min(this.openItems, Number.isFinite(paid) ? paid : this.openItems)
    return Number.isInteger(this.sampleSize) && this.sampleSize >= 1 && this.sampleSize <= most ? null : t.workers.badSample(most)
  })

  readonly request = $derived.by<NewCampaign>(() => {
    const page = {
      ...(this.question.trim() ? { question: this.question.trim() } : {}),
      ...(this.instructions.trim() ? { instructions: this.instructions } : {}),
      fields: fieldKinds(this.columns),
      ...(this.currency ? { currency: this.currency } : {}),
    }
    return {
      name: this.name.trim(),
      classes: this.classes.map((name) => name.trim()),
      budget: this.budget,
      policy: this.policy,
      ...(this.ordered && this.classes.length > 2 ? { ordered: true } : {}),
      ...(this.price.trim() ? { price: withPoint(this.price) } : {}),
      ...(this.labelLimit.trim() ? { labels_per_item: Number(this.labelLimit) } : {}),
      ...(this.modelsFirst ? { people_sample: this.sampleSize } : {}),
      ...(this.stop ? { stop: [`accuracy:${this.stop}`] } : {}),
      page,
    }
  })
}
