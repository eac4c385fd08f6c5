import { counted, number, oneOf } from './count.ts'
import { example, templates } from './templates.ts'

const file = {
  title: 'Which items do you want labelled?',
  drop: 'Drop a CSV or JSON file here',
  choose: 'Choose a file',
  chooseAnother: 'Choose another file',
  hint: 'One item per row: CSV with column names, or JSON objects. Exports from Label Studio and Argilla work too. Nothing is sent before the last step.',
  example: 'Try an example file',
  reading: 'Reading …',
  unreadable: (name: string) => `The file ${name} cannot be read.`,
  tooLarge: (name: string) =>
    `The file ${name} is too large for the browser: the limit is 200 MB. Use the API to send it: POST /api/v1/campaigns/…/items/upload.`,
  binary: (name: string, kind: string) => `The file ${name} is ${kind}`,
  binaryKinds: {
    excel: 'an Excel workbook. In Excel, choose File, Save As, “CSV UTF-8”, and choose that file here.',
    zip: 'a zip archive. Unpack it and choose the CSV or JSON file inside.',
    gzip: 'a compressed file. Unpack it and choose the CSV or JSON file inside.',
    parquet: 'a Parquet file. Save the table as CSV, for example with to_csv in pandas, and choose that file.',
    sqlite: 'an SQLite database. Export the table as CSV and choose that file.',
    pdf: 'a PDF document. Choose a table that was saved as CSV.',
    other: 'not a text file. Save the table as CSV in UTF-8 and choose that file.',
  },
  encoding: (name: string) =>
    `The file is not in UTF-8; it was read as ${name}. Check letters such as ä and é in the preview. If they are wrong, save the file as UTF-8 and choose it again.`,
  /** The format of a file that has no rows of its own kind. */
  formats: {
    'label-studio': 'The file was read as tasks of Label Studio.',
    argilla: 'The file was read as records of Argilla.',
  } as Record<string, string>,
  blockedAddresses: (n: number) =>
    `${counted(n, 'address is', 'addresses are')} not shown as a picture or sound: workers would read the address instead. Only https: and data: addresses are loaded.`,
  headerQuestion: 'Does the first row hold column names?',
  headerGuessed: 'The first row looks like an item.',
  yes: 'yes',
  no: 'no',
  templates: 'Or start from a template',
  templatesHint: 'With a question, answers, instructions and a sample file, which you can replace.',
  useTemplate: 'Use template',
  useTemplateNamed: (name: string) => `Use template: ${name}`,
  downloadSample: 'Sample file',
  downloadSampleNamed: (name: string) => `Sample file: ${name}`,
  preview: 'Preview',
  previewOf: (shown: number, all: number) => `First ${shown} of ${counted(all, 'row', 'rows')}`,
  columns: 'What each column is for',
  columnsHint: 'Workers see the columns that are set to “Show”, one below the other, in the order of the file.',
  roleOf: (column: string) => `Use of column ${column}`,
  line: 'Line',
  roles: {
    id: 'Item id',
    text: 'Show: text',
    image: 'Show: image URL',
    audio: 'Show: audio URL',
    html: 'Show: HTML (scripts removed)',
    hidden: 'Keep, but don’t show',
    price: 'Price per label',
    gold: 'Known answer (to test workers)',
    truth: 'True answer (only to measure accuracy)',
    ignore: 'Ignore',
  },
  repeatedRole: (role: string) => `More than one column is set to “${role}”; expected at most one.`,
  nothingShown: 'Workers would see nothing. Choose at least one column to show.',
  usable: (n: number) => `${counted(n, 'item', 'items')} can be used.`,
  withGold: (n: number) => `${counted(n, 'item has', 'items have')} a known answer.`,
  withTruth: (n: number) => `${counted(n, 'item has', 'items have')} a true answer to measure accuracy.`,
  unusable: (n: number) => `${counted(n, 'row', 'rows')} cannot be used:`,
  fault: (line: number, reason: string) => `line ${number(line)}: ${reason}`,
  moreFaults: (n: number) => `and ${number(n)} more`,
  skipRows: (n: number) => `Skip ${n === 1 ? 'this row' : `these ${number(n)} rows`} and continue`,
  noneUsable: 'None of the rows can be used.',
  noIds: 'No column holds ids, so items are named by line number.',
}

/** Rows that cannot be read; each is shown after the line number. */
const csvFaults = {
  empty: () => 'the file is empty',
  noRows: () => 'the file has column names but no rows',
  columnName: (column: number) => `column ${column}`,
  unnamedColumn: (column: number) => `column ${column} has no name`,
  repeatedColumn: (name: string) => `two columns are named “${name}”`,
  openQuote: () => 'a quote is opened but never closed',
  textAfterQuote: () => 'there is text after a closing quote',
  width: (found: number, expected: number) => `the row has ${counted(found, 'value', 'values')}; expected ${expected}`,
  badJson: (reason: string) => `the line is not valid JSON (${reason})`,
  notObject: () => 'the line is not a JSON object; expected {"column": value, …}',
}

/** Rows that can be read but make no item; each is shown after the line number. */
const itemFaults = {
  emptyId: () => 'the id is empty',
  repeatedId: (id: string, line: number) => `id “${id}” is already used on line ${number(line)}`,
  longId: () => 'the id is too long; expected at most 500 bytes',
  badPrice: (value: string) => `price “${value}” is not an amount; expected a number such as 0.05`,
  unknownAnswer: (column: string, value: string, answers: string[]) =>
    `unknown answer “${value}” in column “${column}”; expected ${answers.length ? oneOf(answers) : 'one of the answers'}`,
  tooLarge: () => 'the item is too large; expected at most 256 KB',
  nothingToShow: () => 'the row has nothing to show',
}

const question = {
  title: 'What is the question?',
  name: 'Campaign name',
  nameHint: 'Workers see it too.',
  namePlaceholder: 'For example: Customer messages',
  question: 'Question (optional)',
  questionHint: 'If you leave it empty, workers read “Which answer is right?”.',
  questionPlaceholder: 'For example: Does the writer ask for help?',
  answerPlaceholder: (n: number) => (n === 1 ? 'For example: no' : n === 2 ? 'For example: yes' : ''),
  workersSee: 'What workers see',
  workersSeeHint: 'With an item of your file.',
  noQuestion: 'Which answer is right?',
  answers: 'Answers to choose from',
  answersHint: 'Workers get one button per answer, in this order.',
  ordered: 'The answers have an order, as grades do: workers confuse neighbours more often',
  answer: (n: number) => `Answer ${n}`,
  add: 'Add answer',
  remove: (name: string) => `Remove ${name || 'this answer'}`,
  instructions: 'Instructions (optional)',
  instructionsHint: 'You can use Markdown.',
  nameMissing: 'The campaign needs a name.',
  tooFewAnswers: 'Add at least two answers.',
  repeatedAnswer: (name: string) => `The answer “${name}” appears twice.`,
  emptyAnswer: 'One of the answers is empty.',
  unknownAnswers: (n: number) => `${counted(n, 'row has', 'rows have')} an answer that is not in this list.`,
}

/** "about 93.1%", and "more than 99.9%" for the share that is written ">99.9%". */
const about = (share: string) => (share.startsWith('>') ? `more than ${share.slice(1)}` : `about ${share}`)
const ifReliable = (reliability: string | null) =>
  reliability === null ? 'Expect' : `If workers are right ${reliability} of the time, expect`

const budget = {
  title: 'What is your budget?',
  inLabels: 'in labels',
  inMoney: 'in money',
  mode: 'Budget',
  labels: 'Labels to buy',
  money: 'Money to spend',
  price: 'Pay per label (optional)',
  pricePlaceholder: 'such as 0.05',
  priceHint: 'What you pay people per answer. Leave it empty if they get a fixed reward from the platform: the budget then counts labels, not money.',
  currency: 'Currency',
  noCurrency: 'none',
  unpaidItems: (n: number) =>
    `The budget pays for less than one label per item: ${counted(n, 'item gets', 'items get')} no label. Raise the budget, or use fewer items.`,
  perItem: (n: number, gold: number) =>
    `${n.toFixed(1)} labels per item on average${gold === 0 ? '' : `, not counting ${counted(gold, 'item', 'items')} with a known answer`}`,
  manyLabels: (perItem: number) =>
    `That is ${counted(Math.round(perItem), 'label', 'labels')} per item. The forecast shows how little the last ones add; check that you want so many.`,
  limitBelowBudget: (most: number, paid: number) =>
    `With this limit, at most ${counted(most, 'label', 'labels')} can be bought. The budget pays for ${number(paid)}; the rest stays unspent.`,
  limitAboveBudget: (limit: number) =>
    `The budget pays for fewer than ${counted(limit, 'label', 'labels')} in all, so this limit has no effect.`,
  quickChoice: (n: number) => `${n} per item`,
  labelLimit: 'At most this many labels per item (optional)',
  badBudget: 'Enter an amount above 0.',
  badPrice: 'Enter a price above 0, such as 0.05.',
  badLabelLimit: 'Enter a whole number above 0, or leave the field empty.',
  policy: 'How to choose what to ask',
  otherPolicies: 'Other strategies',
  stop: 'Stop early once accuracy is proven to reach',
  stopHint: 'The proof needs known answers: items whose answer you give, or checks by a reviewer. You keep what is left of the budget.',
  noStop: 'Don’t stop early',
  forecast: 'What to expect',
  forecastAbout: 'How sure is this forecast?',
  forecastHint:
    'This is the planner’s forecast. Nine in ten adaptive campaigns end within the shaded band. It is not calibrated: nothing is known yet about your items and workers. The board shows the actual results.',
  reliability: 'How often is a worker right?',
  reliabilityUnknown: 'I don’t know',
  tooManyAnswers: (most: number) =>
    `The planner can forecast questions with up to ${counted(most, 'answer', 'answers')}. The board shows what to expect after the first labels.`,
  forecastSentence: (labels: number, accuracy: string, equal: string, reliability: string | null) =>
    `${ifReliable(reliability)} ${about(accuracy)} right answers with ${counted(labels, 'label', 'labels')}; equal splitting gives ${about(equal)}.`,
  forecastEqual: (labels: number, equal: string, reliability: string | null) =>
    `${ifReliable(reliability)} ${about(equal)} right answers with ${counted(labels, 'label', 'labels')}, split equally.`,
  cost: (money: string) => `This costs at most ${money}, your whole budget.`,
  forecastLimit: (labels: number, paid: number) =>
    `The budget pays for ${counted(paid, 'label', 'labels')}; the forecast ends at ${number(labels)}.`,
  limits: 'Limits and early stop',
  noForecast: (reason: string) => `No forecast: ${reason}`,
  calculating: 'Calculating …',
  adaptive: 'adaptive',
  equal: 'equal splitting',
  bound: 'best possible',
  boundHint: '“Best possible” is the most that any way of asking could reach.',
  x: 'labels',
  y: 'right answers',
  mark: 'your budget',
  chart: (labels: number, accuracy: string) =>
    `Forecast of right answers by number of labels: ${accuracy} with ${counted(labels, 'label', 'labels')}`,
}

const workers = {
  title: 'Who will answer?',
  people: 'People',
  modelsFirst: 'Language models first, people where needed',
  modelsWhy:
    'Models of one family make the same mistakes, so people also label a random sample, which shows what the models are worth.',
  sample: 'Items that people label too',
  labelCount: (labels: number) => counted(labels, 'label', 'labels'),
  sampleCost: (cost: string, budget: string, rest: string) =>
    `This sample takes ${cost} of the budget of ${budget}, and leaves ${rest} for models and for more labels of people. The proposed size takes at most a third of the budget.`,
  countsLabels:
    'Models have prices in money, but this budget counts labels: a label of a person costs 1. Enter the pay per label in the step Budget to count both in money.',
  badSample: (most: number) => `Write a whole number from 1 to ${number(most)}: the items to ask about, as far as the budget pays for them.`,
  policyTrouble: (policy: string) =>
    `“${policy}” cannot know that models err together; expected another way of choosing, in the step Budget.`,
  summaryModels: (sample: number) => `language models first; people label ${counted(sample, 'random item', 'random items')} too`,
  modelsNext: 'Next: start the models',
  modelsNextHint:
    'Write a prompt file, as the guide “Label with language models” shows, and run this command on the machine of the server. Each model becomes a worker with its own price.',
  modelsOnBoard: 'This server offers models. Choose them on the board, in the card “Language models”, with a prompt and a cost cap.',
  peopleNext: 'People get the items of the sample first, then those that are worth their price.',
  names: 'Worker names (optional)',
  crowd: 'Recruiting on Prolific, Mechanical Turk or another platform? Write no names: the next page creates your recruiting link.',
  namesHint: 'For people you know, one name per line. Each gets a personal link.',
  tooFew: (most: number, paid: number) =>
    `A worker can label each item only once, so these workers can give at most ${counted(most, 'label', 'labels')}. The budget pays for ${number(paid)}; the forecast holds once you add more workers.`,
  create: 'Create campaign',
  creating: 'Creating the campaign …',
  sending: (done: number, all: number) => `Sending items: ${number(done)} of ${number(all)}`,
  linking: (done: number, all: number) => `Creating links: ${done} of ${all}`,
  summary: 'Summary',
  summaryItems: (open: number, gold: number) =>
    gold === 0
      ? counted(open, 'item', 'items')
      : `${counted(open, 'item', 'items')} to ask about, ${number(gold)} with a known answer to check workers`,
  summaryBudget: (budget: string, price: string) => `budget ${budget}, ${price} per label`,
  summaryLabels: (labels: number) => `budget: ${counted(labels, 'label', 'labels')}`,
  refused: (reason: string) => `The server refused: ${reason}`,
  disconnected:
    'The server cannot be reached. Part of the campaign may already exist; continuing creates nothing twice.',
  resume: 'Continue where it stopped',
  done: 'Send each worker their link',
  doneHint:
    'Copy the links now: they are not shown again. Anyone who has a link answers under that worker’s name.',
  worker: 'Worker',
  link: 'Link',
  copyAll: 'Copy all links',
  board: 'Open the board',
  peopleTitle: 'Then invite people',
  peopleHint: 'Create links for people you know on the board, or recruit a crowd.',
  recruitToo: 'Recruit a crowd',
  tooMany: 'Too many names; expected at most 500 at once.',
  repeatedName: (name: string) => `The name “${name}” appears twice.`,
}

/** The four steps from a file to a campaign. */
export const wizard = {
  title: 'New campaign',
  createdTitle: (name: string) => `${name} is running`,
  steps: ['Items', 'Question', 'Budget', 'Workers'],
  backTo: (name: string) => `Back to ${name}`,
  step: (n: number, of: number, name: string) => `Step ${n} of ${of}: ${name}`,
  next: 'Continue',
  back: 'Back',
  restored: 'Your unfinished draft is back. Nothing has been sent yet.',
  restoredWithoutFile: (file: string) =>
    `Your unfinished draft is back, except for its file: ${file} was too large to keep. Choose it again to continue.`,
  restoredHalfCreated:
    'You left while this campaign was being created, so part of it may be on the server. Continue where it stopped; if you start over, the unfinished campaign stays in the list.',
  restoredHalfCreatedWithoutFile: (file: string) =>
    `You left while this campaign was being created, so part of it may be in the list. The file ${file} was too large to keep: choose it again to create another campaign.`,
  startOver: 'Start over',
  file,
  example,
  templates,
  csvFaults,
  itemFaults,
  question,
  budget,
  workers,
}
