import { counted, number } from './count.ts'

/** Changes of a running campaign. */
export const settings = {
  title: 'Settings',
  open: 'Settings',
  intro: 'Changes take effect at once, for everything that is still to be asked. The ledger keeps every change.',
  page: 'What workers see',
  name: 'Name of the campaign',
  question: 'Question',
  instructions: 'Instructions',
  instructionsHint: 'Workers see them before the first item and behind the help button. You can use Markdown.',
  answers: 'Answers',
  answersHint:
    'Only what workers see changes: the classes of the campaign keep their names in files and reports. An example helps workers who are unsure.',
  shownAs: (label: string) => `Shown name of ${label}`,
  example: (label: string) => `Example for ${label}`,
  exampleHint: 'Example, optional',
  up: (label: string) => `Move ${label} up`,
  shuffle: 'Show the answers of every item in another order for each worker',
  currency: 'Currency',
  currencyHint: 'Code of three letters, such as EUR or USD. Prices and the budget are amounts in it.',
  decisions: 'How allot decides',
  policy: 'How to choose what to ask',
  lease: 'Time to answer one item',
  leaseHint: 'Such as 90s, 10m, 2h or 1d. Then the item goes to others.',
  labelsPerItem: 'At most this many labels per item',
  labelsPerWorker: 'At most this many labels per worker',
  limitHint: 'Leave it empty for no limit.',
  goldRate: 'Share of items with a known answer, in percent',
  peopleSample: 'People’s sample',
  peopleSampleValue: (items: number) =>
    `${counted(items, 'random item gets', 'random items get')} a label of a worker outside all groups, so that people check language models. It is set when a campaign is created.`,
  stop: 'Stop rules',
  stopHint: 'Such as accuracy:0.95 or settled:0.99, one per line. Leave it empty to spend the whole budget.',
  save: 'Save changes',
  saved: 'Saved.',
  nothing: 'Nothing changed.',
  nameMissing: 'The campaign needs a name.',
  badLimit: 'Write a whole number of at least 1, or nothing.',
  badRate: 'Write a number from 0 to 100.',
  badCurrency: 'Write a code of three letters, or nothing.',
  copy: 'Copy this campaign',
  copyHint: 'Creates a campaign with the same items, settings and prices, and with a new budget. Labels are not copied.',
  copyName: (name: string) => `${name} (copy)`,
  copyButton: 'Create a copy',
}

/** Items for a campaign that runs already. */
export const moreItems = {
  title: 'More items',
  hint: (columns: string) =>
    columns
      ? `A file like the first one: CSV, JSON lines or a JSON array. Items of this campaign have: ${columns}.`
      : 'A file with one item per row: CSV, JSON lines or a JSON array.',
  choose: 'File of items',
  found: (items: number) => `${counted(items, 'new item', 'new items')} in this file.`,
  columns: 'How the columns are used',
  unusable: (count: number) => `${counted(count, 'row', 'rows')} cannot be used and will be left out:`,
  line: (line: number, reason: string) => `Line ${number(line)}: ${reason}`,
  moreFaults: (count: number) => `… and ${number(count)} more.`,
  nothing: 'No row of this file makes an item.',
  add: (items: number) => `Add ${counted(items, 'item', 'items')}`,
  adding: (sent: number, all: number) => `Adding … ${number(sent)} of ${number(all)}`,
  added: (items: number) => `${counted(items, 'item was', 'items were')} added.`,
}

/** The end of a campaign's life. */
export const archive = {
  title: 'Archive or delete',
  hint: 'The archive keeps everything and hands out nothing. You can take the campaign out again. Only an archived campaign can be deleted: archive it first.',
  archivedHint: 'This campaign is in the archive. You can take it out again, or delete it.',
  archive: 'Archive',
  unarchive: 'Take out of the archive',
  confirm: 'Archive this campaign?',
  effects: [
    'Workers get no more items. Items that they have now go back, and labels that still come in for them count.',
    'Links and recruiting links stay, but take nobody new.',
    'Answers, labels and reports stay, and can be exported.',
  ],
  delete: 'Delete for good …',
  deleteTitle: 'Delete this campaign for good?',
  deleteHint: (labels: number, items: number) =>
    `${counted(items, 'item', 'items')}, ${counted(labels, 'label', 'labels')}, all links and webhooks are deleted. Nothing can bring them back; export first what you want to keep.`,
  typeName: (name: string) => `Write “${name}” to confirm`,
  wrongName: 'That is not the name of the campaign.',
  deleteButton: 'Delete for good',
  cancel: 'Cancel',
}
