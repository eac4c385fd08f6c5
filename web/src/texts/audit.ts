import { counted, number } from './count.ts'

/** Reviews and audits on the board. */
export const audit = {
  title: 'Reviews and audit',
  reviews: 'Reviewers',
  reviewsHint: 'A reviewer decides items that workers leave unclear. A verdict replaces the answer by labels.',
  verdicts: (n: number) => (n ? `${counted(n, 'item has', 'items have')} a verdict.` : 'No item has a verdict yet.'),
  reviewer: 'Reviewer',
  reviewerName: 'Reviewer’s name',
  createLink: 'Create link',
  linkHint: 'The link is shown only once. Anyone who has it decides items under that name.',
  audit: 'Audit',
  auditHint:
    'An audit draws answers at random. A reviewer checks them without seeing labels, and the share of right ones tells how far to trust the rest.',
  notVerified: 'estimated by the model, not verified',
  notVerifiedSentence: (accuracy: string, answers: number) =>
    `${accuracy} of ${counted(answers, 'answer', 'answers')} right: estimated by the model, not verified.`,
  calibrated: (known: number) =>
    known === 0 ? 'calibrated, no known answers yet' : `calibrated on ${counted(known, 'known answer', 'known answers')}`,
  calibratedHint: (low: string, high: string) =>
    `What the model’s probabilities are worth, as far as known answers tell: between ${low} and ${high} with probability 0.9.`,
  proven: (lower: string) => `at least ${lower} by audit`,
  start: 'Start an audit',
  startAnother: 'Start another audit',
  byChecks: 'Check this many answers',
  byTarget: 'Check until this accuracy is proven',
  checks: 'Number of checks',
  target: 'Accuracy to prove, in percent',
  confidence: 'Confidence',
  replace: (verdicts: number) =>
    `Give up the audit that is not finished: its ${counted(verdicts, 'check no longer counts', 'checks no longer count')}.`,
  mustReplace: 'The audit is not finished; finish its checks, or tick that it is given up.',
  badChecks: (value: string) => `“${value}” is not a number of checks; expected a whole number from 1.`,
  badTarget: (value: string) => `“${value}” is not an accuracy; expected a percentage between 1 and 99.9.`,
  heading: (n: number, day: string) => `Audit ${number(n)}, started ${day}`,
  /** An audit with a target draws answers as it goes, so that none may be drawn yet. */
  noChecks: (drawn: number) =>
    `No answer is checked yet. ${drawn ? counted(drawn, 'answer waits', 'answers wait') : 'Answers wait'} for a reviewer.`,
  checked: (checked: number, answers: number, right: number) =>
    `Checked ${number(checked)} of ${counted(answers, 'answer', 'answers')}: ${number(right)} right.`,
  bound: (confidence: string, lower: string) => `With ${confidence} confidence at least ${lower} of all answers are right.`,
  missing: (n: number) =>
    `${counted(n, 'drawn answer waits', 'drawn answers wait')} for a check and ${n === 1 ? 'counts' : 'count'} as wrong until then.`,
  waiting: (n: number, next: string) =>
    `${counted(n, 'later verdict waits', 'later verdicts wait')} until item ${next}, which was drawn before, is checked.`,
  contradiction: 'The verdicts contradict the random order of the draws, so nothing is proven about the other answers.',
  certified: (target: string) => `Proven: at least ${target} of the answers are right.`,
  notCertified: (target: string) => `It is not proven yet that at least ${target} of the answers are right.`,
  checksToProve: (n: number) => `About ${counted(n, 'more check', 'more checks')} would prove it, if answers stay as right as so far.`,
  cannotProve: 'So far the checks do not suggest that more of them would prove it.',
  chartLabel: (estimate: string, low: string, high: string, lower: string) =>
    `Right answers: estimate ${estimate}, range ${low} to ${high}, at least ${lower}`,
  legendEstimate: 'estimate',
  legendRange: 'range',
  legendLower: 'at least',
  legendTarget: 'target',
  strata: 'By confidence of the answer',
  stratum: 'Confidence',
  answers: 'Answers',
  checkedColumn: 'Checked',
  rightColumn: 'Right',
  range: 'Range',
  shares: 'Share of each class',
  class: 'Class',
  share: 'Share',
}
