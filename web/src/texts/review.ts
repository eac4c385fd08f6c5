import { counted, number } from './count.ts'

/** The reviewer's page. */
export const review = {
  title: (campaign: string) => `${campaign}: review`,
  queue: 'Queue',
  progress: 'Progress',
  decidedToday: (n: number) => `${number(n)} decided today`,
  queueLeft: (n: number, more: boolean) => `${number(n)}${more ? '+' : ''} left`,
  auditProgress: (checked: number, checks: number | null) =>
    `audit ${number(checked)}${checks === null ? ' checked' : ` of ${number(checks)}`}`,
  order: 'Show first',
  orders: { uncertain: 'least certain', disputed: 'most disputed', skipped: 'most skipped' },
  whyUncertain: (probability: string) => `In the queue as one of the least certain answers: ${probability} likely.`,
  whyDisputed: (share: string) => `In the queue because workers disagree: ${share} of the labels contradict the answer.`,
  whySkipped: (n: number) => `In the queue because ${counted(n, 'worker', 'workers')} skipped it.`,
  whyAudit: 'Audit check, drawn at random.',
  blind: 'Labels and the current answer stay hidden until you decide, so that they cannot influence you.',
  labels: 'What workers said',
  noLabels: 'no label',
  skips: (n: number) => `${counted(n, 'worker', 'workers')} skipped it.`,
  reason: 'Reason (optional)',
  reasonKey: 'write a reason; Enter returns',
  later: 'Later',
  laterKey: 'put this item last',
  undoKey: 'take your last verdict back',
  recent: 'Your last verdicts',
  undoOf: (item: string) => `Undo ${item}`,
  labelsSaid: (answer: string, probability: string) => `labels said ${answer}, ${probability}`,
  labelsAgreed: (probability: string) => `labels agreed, ${probability}`,
  offlineWaiting: (n: number) =>
    `No connection. ${counted(n, 'verdict is', 'verdicts are')} saved on this device and will be sent when it is back.`,
  offlineEmpty: 'You have decided every item on this device. More items appear when the connection is back.',
  notices: {
    taken: (item: string) => `Your verdict on “${item}” did not count: the item already had one.`,
    ownLabel: (item: string) =>
      `Your verdict on “${item}” did not count: you labelled it as a worker, so another reviewer must decide.`,
    refused: (item: string, detail: string) => `The server refused your change to “${item}”: ${detail}.`,
    undone: (item: string) => `Your verdict on “${item}” is taken back. The item is in the queue again.`,
    noUndo: () => 'Nothing to undo: you have not given a verdict yet.',
  },
  empty: 'Nothing to review right now',
  emptyHint: 'Items appear here once workers have labelled them. This page checks again automatically.',
}
