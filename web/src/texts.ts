/**
 * Every English sentence of the pages, so that a translation is another object of the same shape.
 * Sentences with numbers are functions. A section a page.
 */

/** "1 label", "2 labels". */
export const counted = (n: number, one: string, many: string) => `${number(n)} ${n === 1 ? one : many}`

const whole = new Intl.NumberFormat('en')
export const number = (n: number) => whole.format(n)

export const texts = {
  name: 'allot',
  common: {
    themeLight: 'Light',
    themeDark: 'Dark',
    themeAuto: 'As the system',
    theme: 'Colours',
    close: 'Close',
    cancel: 'Cancel',
    tryAgain: 'Try again',
    offline: 'The server cannot be reached.',
    notOurs: (status: number) => `The server answered with ${status}.`,
  },

  label: {
    title: (campaign: string) => `${campaign}: labelling`,
    question: 'Which is it?',
    answers: 'Answers',
    item: 'Item',
    field: (name: string) => name,
    skip: 'Skip',
    undo: 'Undo',
    keep: 'Keep it',
    play: 'Play or pause',
    instructions: 'Instructions',
    help: 'Keys',
    start: 'Start',
    backToWork: 'Back to work',
    keyAnswers: 'answer',
    keySkips: 'skip this item',
    keyUndoes: 'change the last answer',
    keyPlays: 'play or pause the sound',
    keyHelps: 'show or close this',
    keysOn: 'Single keys answer, skip and undo',
    answered: (n: number) => counted(n, 'answer', 'answers'),
    earned: (amount: string) => `${amount} earned`,
    pays: (amount: string) => `pays ${amount}`,
    loading: 'Fetching the next item',
    secondsLeft: (n: number) => `This item is yours for ${counted(n, 'more second', 'more seconds')}.`,
    revising: (label: string) => `You answered “${label}”. Choose again, or keep it.`,
    offline: 'No connection to the server.',
    offlineWaiting: (n: number) =>
      `No connection. ${n === 1 ? 'An answer is' : `${number(n)} answers are`} kept on this device and will be sent.`,
    notices: {
      late: 'An answer came too late to count: the item needs no more answers.',
      lateChange: 'It was too late to change that answer; the first one stands.',
      leaseOver: 'The time for that item was over, so it went back. Here is how it goes on.',
      noUndo: 'There is no answer to change any more. Only the last one can be, and only for a while.',
      elsewhere: 'You answered that item in another tab.',
    },
    thanks: 'Thank you!',
    nothingNow: 'There is nothing for you to do right now. This page looks again by itself.',
    pausedNow: 'The campaign is paused. This page goes on by itself when it does.',
    ended: 'The campaign is over. You can close this page.',
    soFar: (n: number, earned: string | null) =>
      `You gave ${counted(n, 'answer', 'answers')}${earned === null ? '' : ` and earned ${earned}`}.`,
    refused: {
      title: 'This link does not work',
      bad_token: 'It was taken back, or is not complete. Ask whoever gave it to you for a new one.',
      no_token: 'A part of it is missing: it ends in a # and a long word. Open it again as you got it.',
      wrong_role: 'It belongs to another campaign. Ask whoever gave it to you for a new one.',
      other: 'Ask whoever gave it to you for a new one.',
    },
    mediaFailed: 'This could not be loaded. Skip the item if you need it to answer.',
    image: (name: string) => `Picture: ${name}`,
    enlarge: 'Show in its full size',
    audio: (name: string) => `Sound: ${name}`,
  },

  requester: {},
}
