import { counted } from './count.ts'

/** Language models that label a campaign. */
export const models = {
  title: 'Language models',
  hint: 'The server asks these models about your items. Each labels as a worker of its name, at the price of the list.',
  choose: 'Models to ask',
  oneEndpoint: 'One run asks models of one endpoint.',
  countsLabels:
    'The budget of this campaign counts labels: a label of a person costs 1. A label of a model costs its price, which is an amount of money. Create a campaign with a price per label to count both in money.',
  offer: (model: string, price: string) => `${model}, ${price} per label`,
  at: (endpoint: string) => `at ${endpoint}`,
  prompt: 'Prompt',
  promptHint: 'A field in double braces stands for that field of an item, {{classes}} for the list of answers.',
  preview: (item: string) => `What a model reads about item ${item}`,
  unfit: (items: number, of: number) =>
    `${items} of ${of < 1000 ? '' : 'the first '}${counted(of, 'item', 'items')} ${items === 1 ? 'lacks' : 'lack'} a field of this prompt. Models skip such items.`,
  noItems: 'Without items there is no preview.',
  cap: 'Most that this run may cost',
  capHint: 'Leave it empty for the budget of the campaign. Abstentions cost the price of a label too.',
  start: 'Start the models',
  stop: 'Stop the models',
  states: {
    running: 'Models are labelling.',
    stopping: 'The models stop, and give back their items.',
    stopped: 'The models were stopped.',
    finished: 'The models have finished.',
    failed: 'The models had to stop.',
  },
  because: (reason: string) => `The reason: ${reason}.`,
  cost: (cost: string, cap: string | null) => `This run has cost ${cost}${cap === null ? '' : ` of at most ${cap}`}.`,
  waits: (what: string) => `The models wait: ${what}.`,
  oldest: (seconds: number) => `The oldest request has waited ${counted(seconds, 'second', 'seconds')} for its reply.`,
  failed: (items: number, isGoing: boolean) =>
    `${counted(items, 'item was', 'items were')} given back${isGoing ? ' since the server started' : ''}, because requests about ${items === 1 ? 'it' : 'them'} failed.`,
  lastFailure: (trouble: string) => `The last failure: ${trouble}.`,
  model: 'Model',
  labels: 'Labels',
  abstained: 'Abstained',
  skipped: 'Skipped',
  skippedHint: 'Models skip items that lack a field of the prompt. That costs nothing.',
  remarks: 'Why there is no label, the last times since the server started:',
  remark: (model: string, item: string, why: string) => `Item ${item}, ${model}: it ${why}.`,
  allRemarks: 'All of them are in the export “Skipped items, with reasons and notes”.',
  spent: 'Paid',
  noModel: 'Choose at least one model.',
  noPrompt: 'Write a prompt.',
  badCap: (value: string) => `“${value}” is not an amount; expected plain digits above 0, such as 2.50.`,
}
