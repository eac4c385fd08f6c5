import { counted } from './count.ts'

const labelCount = (n: number) => counted(n, 'label', 'labels')

/** The workers of a campaign: who they are, what they do, and their links. */
export const workersPage = {
  title: 'Workers',
  open: 'Workers and links',
  none: 'No worker has received an item yet.',
  intro: 'Select a worker to see what the worker confuses, and to block or exclude the worker.',
  more: (shown: number) => `Only the first ${counted(shown, 'worker', 'workers')} are shown. An export has all of them.`,
  worker: 'Worker',
  standing: 'Status',
  standings: { active: 'active', blocked: 'blocked', excluded: 'excluded' },
  because: (reason: string) => `Reason: ${reason}`,
  labels: 'Labels',
  reliability: 'Reliability',
  reliabilityOf: (value: string, low: string, high: string) => `${value}, likely between ${low} and ${high}`,
  notCounted: 'The labels of this worker do not count.',
  known: 'Known answers right',
  knownRight: (right: number, all: number) => (all ? `${right} of ${all}` : '–'),
  agreement: 'Agrees with the answers',
  seconds: 'Median time',
  secondsValue: (seconds: string) => `${seconds} s`,
  tooFast: 'too fast',
  tooFastHint: 'Less than a third of the usual time per item.',
  payPerHour: 'Pay per hour',
  paid: 'Paid',
  skips: 'Skipped',
  seen: 'Last seen',
  never: 'never',
  details: (worker: string) => `About ${worker}`,
  show: (worker: string) => `Show ${worker}`,
  confusion: 'What the worker answered',
  confusionHint:
    'Rows: the answer of the item as allot sees it now. Columns: the label of this worker. A reliable worker has most labels on the diagonal.',
  answer: 'Answer',
  noConfusion: 'No labelled item has an answer yet.',
  block: 'Block',
  exclude: 'Exclude',
  restore: 'Restore',
  blockTitle: (worker: string) => `Block ${worker}?`,
  blockText: (labels: number) =>
    `The worker gets no more items, and items that the worker has now go back. ${labels === 1 ? 'The label' : `All ${labelCount(labels)}`} of the worker still count.`,
  excludeTitle: (worker: string) => `Exclude ${worker}?`,
  excludeText: (labels: number, paid: string) =>
    `The worker gets no more items, and ${labelCount(labels)} no longer count. The answers become what they would be without them. allot asks about these items again while the budget lasts. The ${paid} that they cost stays spent.`,
  restoreTitle: (worker: string) => `Restore ${worker}?`,
  restoreText: (labels: number) => `The worker gets items again, and all of the worker’s labels count (${labelCount(labels)}).`,
  reason: 'Reason, for your records',
  done: {
    active: (worker: string) => `${worker} is active again.`,
    blocked: (worker: string) => `${worker} is blocked.`,
    excluded: (worker: string) => `${worker} is excluded.`,
  },
  changed: (answers: number, left: string) =>
    answers === 0
      ? 'No answer changed.'
      : `${counted(answers, 'answer', 'answers')} changed. ${left} of the budget is left to ask again.`,
  links: 'Links',
  linksHint: 'A link opens the workers’ page under one name. Revoke a link that was lost or passed on; the worker’s labels stay.',
  noLinks: 'There are no links. Create one below.',
  created: 'Created',
  revoke: 'Revoke',
  revokeOf: (worker: string) => `Revoke the link of ${worker}`,
  revokeTitle: (worker: string) => `Revoke the link of ${worker}?`,
  revokeText: 'The link stops working at once and for good. You can create a new one for the same name.',
  revoked: (worker: string) => `The link of ${worker} no longer works.`,
  newLink: 'New link',
  newLinkOf: (worker: string) => `New link for ${worker}`,
  newLinks: 'Create links',
}
