import { counted } from './count.ts'

/** The page of participants who come through a recruiting link. */
export const join = {
  loading: 'Loading …',
  offline: 'No connection to the server.',
  crowded: 'Too many people are arriving at this moment. Try again in a minute.',
  retry: 'Try again',
  amount: (n: number) => `You answer up to ${counted(n, 'question', 'questions')}.`,
  pay: (amount: string) => `Each answer pays ${amount}.`,
  /** From the time that others took. */
  duration: (minutes: number) => `Others took about ${counted(minutes, 'minute', 'minutes')}.`,
  qualification: (n: number) =>
    `Before that, ${counted(n, 'question checks', 'questions check')} whether the task suits you.`,
  rehearsal: 'Preview for the requester: nothing is recorded. Reload the page to start over.',
  rehearsalEnd: {
    title: 'End of the preview',
    text: 'Nothing was recorded. A participant would now read:',
    returns: 'Participants return to the platform after five seconds, or with the button “Return now”.',
    pastes: 'Participants paste the code on the platform.',
    submits: 'Participants submit the task to MTurk here.',
  },
  preview: 'This is a preview. Accept the task to start.',
  consentTitle: 'Your consent',
  defaultConsent: 'Taking part is voluntary. Your answers are recorded under the id that the platform gave you.',
  agree: 'I agree. Start',
  left: (n: number) => `${counted(n, 'question', 'questions')} left`,
  test: (n: number, all: number) => `Check ${n} of ${all}`,
  checking: 'Checking your answer …',
  right: (answer: string) => `Right: “${answer}”.`,
  wrong: (yours: string, answer: string) => `Not right. You answered “${yours}”; the right answer is “${answer}”.`,
  next: 'Continue',
  outcomes: {
    done: { title: 'Thank you!', text: () => 'You have answered all questions. Your answers are saved.' },
    'screened-out': {
      title: 'Thank you for trying',
      text: () => 'Too few of your first answers match the known ones, so there are no more questions for you.',
    },
    'no-work': {
      title: 'Thank you!',
      text: (answered: number) =>
        answered === 0
          ? 'There are no questions left for you. You are paid all the same: take this code back with you.'
          : `You answered ${counted(answered, 'question', 'questions')}, and there are no more for you. You are paid all the same: take this code back with you.`,
    },
    incomplete: {
      title: 'No more questions',
      text: (answered: number, of: number) =>
        `You answered ${answered} of ${counted(of, 'question', 'questions')} and skipped the rest. The requester reviews the session before paying it.`,
    },
  },
  code: 'Your completion code',
  copy: 'Copy the code',
  copied: 'Copied',
  submit: 'Submit',
  returnNow: 'Return now',
  paste: 'Paste the code on the page that sent you here. Then you can close this page.',
  returning: (n: number) => `You return automatically in ${counted(n, 'second', 'seconds')}.`,
  stay: 'Stay on this page',
  tookPart: 'You have taken part already',
  refusedTitle: 'You cannot take part with this link',
  fullTitle: 'This study takes no more participants',
  full: 'Return your place on the platform, so that it does not count against you.',
  startedBefore: 'I have already started: continue',
  /** For someone who opens the address with the placeholders in it. */
  placeholderTitle: 'This address is for the platform',
  placeholder: (value: string) =>
    `Paste it into the platform as it is. The platform replaces ${value} with the id of each participant. Opened by hand, it leads nowhere.`,
  openPreview: 'Preview as a participant',
  noId: (name: string) => `The address lacks your id (${name}). Open the study from the platform again.`,
  /** Reasons by the API's error code. */
  refusals: {
    not_found: 'The link is not complete, or the study does not exist. Open it from the platform again.',
    conflict: 'Your earlier answers are saved. If you have not finished yet, open the study with the address you started with.',
    forbidden: 'The study takes no more participants, or the address was changed. Return your place on the platform.',
    rehearsal: 'Only the requester of the campaign can preview it. Sign in on the requester’s pages in this browser, then reload this page.',
    invalid_argument: 'The id in the address is not valid. Open the study from the platform again.',
  },
  refusedOther: 'Open the study from the platform again.',
}
