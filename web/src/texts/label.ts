import { counted } from './count.ts'

const askAgain = 'Ask the person who sent it for a new one.'

/** The worker's page. */
export const label = {
  title: (campaign: string) => `${campaign}: labelling`,
  defaultQuestion: 'Which answer is right?',
  answers: 'Answers',
  item: 'Item',
  skip: 'Skip',
  undo: 'Undo',
  keep: 'Keep it',
  instructions: 'Instructions',
  help: 'Help',
  start: 'Start',
  backToWork: 'Back to work',
  shortcuts: 'Keyboard shortcuts',
  skipKey: 'skip this item',
  undoKey: 'change your last answer',
  playKey: 'play or pause the audio',
  helpKey: 'open or close this help',
  useShortcuts: 'Use single-key shortcuts',
  language: 'Language',
  answered: (n: number) => counted(n, 'answer', 'answers'),
  earned: (amount: string) => `${amount} earned`,
  pays: (amount: string) => `pays ${amount}`,
  loading: 'Loading the next item …',
  secondsLeft: (n: number) => `${counted(n, 'second', 'seconds')} left for this item.`,
  revising: (answer: string) => `You answered “${answer}”. Choose again, or keep it.`,
  offline: 'No connection to the server.',
  offlineWaiting: (n: number) =>
    `No connection. ${counted(n, 'answer is', 'answers are')} saved on this device and will be sent when it is back.`,
  offlineEmpty: 'You have answered every item on this device. More items appear when the connection is back.',
  notices: {
    late: 'An answer did not count: you ran out of time, and that item needs no more labels.',
    latePaused: 'An answer did not count: you ran out of time. The campaign is now paused.',
    repeated: 'An answer did not count: you had already answered or skipped that item. Your first choice stands.',
    ended: 'An answer did not count: the campaign ended before it arrived.',
    lateChange: 'Too late to change that answer. Your first answer stands.',
    endedChange: 'The campaign has ended, so you can no longer change that answer. Your first answer stands.',
    timeout: 'You ran out of time for that item, so it was returned. Here is the next one.',
    noUndo: 'Nothing to undo. You can change only your last answer, for a short time.',
    otherTab: 'You answered that item in another tab.',
  },
  thanks: 'Thank you!',
  nothingYet: 'Nothing to do yet',
  nothingNow: 'There is nothing for you to do right now. This page checks again automatically.',
  paused: 'Paused',
  pausedHint: 'The campaign is paused. This page continues when it resumes.',
  ended: 'The campaign has ended. You can close this page.',
  total: (n: number, earned: string | null) =>
    `You gave ${counted(n, 'answer', 'answers')}${earned === null ? '' : ` and earned ${earned}`}.`,
  refusedTitle: 'This link does not work',
  /** Reasons by the API's error code. */
  refusals: {
    bad_token: `It was revoked, or part of it is missing. ${askAgain}`,
    no_token:
      'Part of it is missing: a complete link ends with # and a long code. Open it exactly as you received it.',
    wrong_role: `It belongs to another campaign. ${askAgain}`,
  },
  refusedOther: askAgain,
  imageFailed: 'The picture could not be loaded. If you need it to answer, skip this item.',
  audioFailed: 'The audio could not be loaded. If you need it to answer, skip this item.',
  image: (name: string) => `Picture: ${name}`,
  audio: (name: string) => `Audio: ${name}`,
  enlarge: 'Show full size',
}
