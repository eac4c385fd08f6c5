import { counted, number } from './count.ts'

const labelsEach = (n: number) => counted(n, 'label each', 'labels each')

/** Two campaigns on the same items. */
export const compare = {
  title: 'Side by side',
  sameItems: (n: number) => `Two campaigns on the same ${counted(n, 'item', 'items')}, each with its own policy.`,
  differentItems: 'These campaigns have different items, so their lines cannot be compared directly.',
  ahead: (name: string, points: string, labels: number) => `${name} is ${points} points ahead after ${labelsEach(labels)}.`,
  level: (labels: number) => `Both are level after ${labelsEach(labels)}.`,
  noLabels: 'Both have just started. At first, every policy gives each item its first label; after that the lines part.',
  early: (labels: number, items: number) =>
    `Both have just started, with ${labelsEach(labels)}. At first, every policy gives each of the ${counted(items, 'item', 'items')} its first label; after that the lines part.`,
  saving: (name: string, accuracy: string, few: number, many: number, percent: string) =>
    `${name} reached ${accuracy} right answers with ${counted(few, 'label', 'labels')}; the other needed ${number(many)}. That saves ${percent}.`,
  chartMeasured: 'Right answers, measured, as labels come in',
  chartExpected: 'Right answers, expected, as labels come in',
  chartLabel: (a: string, shareOfA: string, b: string, shareOfB: string) =>
    `Right answers by number of labels: ${a} ${shareOfA}, ${b} ${shareOfB}`,
  why: 'Why the lines differ',
  whyText: (adaptive: string, other: string, isRandom: boolean) => [
    isRandom
      ? `${other} asks about items by chance, clear or not. Many labels go to items that were clear after two or three.`
      : `${other} gives every item the same number of labels. Many of them go to items that were clear after two or three.`,
    `${adaptive} stops asking about clear items and spends those labels where workers disagree. Only there can another label turn a wrong answer into a right one.`,
    `The maps show it: the further right an item is, the more certain its answer. ${isRandom ? `${other} spreads items over a few rows` : `${other} keeps all items in one or two rows`}, and many stay on the left. ${adaptive} leaves many items alone after one or two labels and spends the savings on the others, in the upper rows. Few items stay on the left.`,
  ],
  openBoard: (name: string) => `Open board: ${name}`,
  labels: 'labels',
  spent: 'spent',
  measuredAccuracy: 'measured accuracy, all items',
  answered: 'answered',
  answeredOf: (answers: number, items: number) => `${number(answers)} of ${number(items)}`,
  expectedAccuracy: 'expected accuracy, all items',
  notVerified: 'Estimated by the model, not verified. An item without a label counts as a guess.',
}
