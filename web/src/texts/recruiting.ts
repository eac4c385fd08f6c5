import { counted } from './count.ts'

/** Recruiting links and the sessions of their participants. */
export const recruiting = {
  title: 'Recruiting',
  intro: 'Create one link, paste it into your platform, and participants start labelling.',
  running: (name: string) => `✓ ${name} is running. Next, create the link for your platform.`,
  /** What participants meet, by phase. */
  notRunning: {
    running: '',
    paused: 'The campaign is paused: participants finish at once with the code for “No work left”.',
    closed: 'The campaign has ended: participants finish at once with the code for “No work left”.',
    archived: 'The campaign is in the archive: its links turn participants away.',
  },
  create: 'Create recruiting link',
  another: 'Create another link',
  /** What to do with the address, by platform. */
  paste: {
    prolific:
      'In your Prolific study, paste this address under “What is the URL of your study?”, and choose “I’ll use URL parameters”. Prolific fills in the parts in braces:',
    connect: 'In your Connect project, paste this address as the survey link. Connect adds the ids of participants:',
    sona: 'In your SONA study, paste this address as the study URL. SONA fills in the survey code:',
    mturk: 'The address of the task:',
    panel: 'Paste this address into the panel, which fills in the parts in braces:',
  },
  question: 'Create the HIT with this question. MTurk adds the ids of workers:',
  copyAddress: 'Copy address',
  copyQuestion: 'Copy question',
  numbered: (platform: string, n: number) => `${platform}, link ${n}`,
  created: (time: string) => `Created ${time}`,
  preview: 'Preview as a participant',
  previewHint: 'It opens in a new tab and records nothing.',
  httpsOnly: 'MTurk shows only addresses that start with https.',
  platform: 'Platform',
  platforms: {
    prolific: 'Prolific',
    connect: 'CloudResearch Connect',
    sona: 'SONA',
    mturk: 'Mechanical Turk',
    panel: 'Another panel',
  },
  idParameter: 'Parameter with the participant’s id',
  idHint: 'The panel fills it in: the address ends with, for example, ?id={id}.',
  labels: 'Questions per session',
  labelsHint: (sessions: number) => `The budget pays for about ${counted(sessions, 'session', 'sessions')} of this length.`,
  unpaidSession: 'The budget does not pay for one session of this length. Raise the budget, or ask fewer questions.',
  moreThanItems: (items: number) =>
    `There ${items === 1 ? 'is' : 'are'} ${counted(items, 'item', 'items')} to ask about, and nobody gets an item twice. A session can end early, and still pays.`,
  consent: 'Consent text',
  consentHint: 'People agree to this before they start. Change what does not fit. You can use Markdown.',
  proposedConsent: (minutes: number, price: string | null) =>
    `Taking part is voluntary, and you can stop at any time. It takes about ${counted(minutes, 'minute', 'minutes')}. ${
      price === null ? 'You are paid the reward that the platform shows.' : `You are paid ${price} per answer.`
    } Your answers are recorded under the id that the platform gave you.`,
  qualification: 'Qualification',
  tests: 'Questions with a known answer that come first',
  testsHint: (gold: number) =>
    gold === 0
      ? 'This campaign has no items with a known answer, so there is nothing to check people with.'
      : `This campaign has ${counted(gold, 'item', 'items')} with a known answer. Labels of people who fail stay out of the answers.`,
  leastRight: 'Percent that must be right',
  feedback: 'Show the right answer after each of these questions',
  codes: 'Completion codes',
  codesAreCreated: 'Completion codes are created for you and shown with the link.',
  ownCodes: 'Use your own codes or return address',
  codesHint: 'Leave the codes empty to get random ones.',
  /** What to do with the codes, by platform. */
  codesUse: {
    prolific:
      'In Prolific, confirm completion with a redirect URL, and add each code as a completion path of the study. At the end people return by themselves; nobody types a code.',
    connect: 'In Connect, enter the first one as the completion code. People paste their code there at the end; check other codes by hand.',
    sona: 'People see their code at the end. SONA grants credit through the return address of this link, if you gave one; otherwise compare the codes.',
    mturk: 'Nothing to enter: the code comes with the assignment, as the answer “code”.',
    panel: 'Enter them where the panel asks for completion codes. People paste their code there, or bring it to the return address.',
  },
  copyCode: 'Copy',
  done: 'All questions answered',
  screenedOut: 'Failed the qualification',
  noWork: 'No work left',
  incomplete: 'Skipped the rest',
  /** What to do with people who bring a code. */
  codeHints: {
    done: 'Approve and pay.',
    screenedOut: 'Pay what you promised for the check.',
    noWork: 'They came, but the questions or the budget ran out. Approve and pay.',
    incomplete: 'They answered only some questions. Review by hand, and pay what is fair.',
  },
  returnUrl: 'Return address',
  returnHint: 'With {code}, {id} and {session}. Leave it empty for the usual address of Prolific, or if people paste the code.',
  limits: 'Limits',
  participants: 'Maximum number of participants',
  participantsHint: 'Leave it empty for no limit.',
  sessions: 'Sessions per person',
  arrivals: 'Arrivals per minute',
  arrivalsHint: 'From one network address.',
  signed: 'Accept only signed arrivals',
  signedFormHint: 'For panels that can sign: then nobody gets in with an id they made up. You get the key with the link.',
  badLabels: (value: string) => `“${value}” is not a number of questions; expected 1 or more.`,
  badTests: (value: string) => `“${value}” is not a number of questions; expected 0 or more.`,
  fewKnown: (wanted: number, gold: number) =>
    `The qualification needs ${counted(wanted, 'item', 'items')} with a known answer; the campaign has ${gold}.`,
  badShare: (value: string) => `“${value}” is not a percentage; expected 0 to 100.`,
  badLimit: 'A limit is not a whole number; expected 1 or more.',
  badUrl: (url: string) => `The return address “${url}” cannot be used; expected one that starts with https://.`,
  perSession: (n: number, tests: number) =>
    `${counted(n, 'question', 'questions')} per session${tests ? `, ${counted(tests, 'check', 'checks')} first` : ''}`,
  closed: 'closed to new participants',
  isClosed: 'Nobody new can join through this link. Stop the study on the platform, or open the link again.',
  close: 'Close to new participants',
  reopen: 'Open again',
  signingKey: 'Signing key',
  signingHint:
    'Add the parameter “signature”: HMAC-SHA256 of the id, a line feed and the session, in hexadecimal digits.',
  figures: {
    participants: 'Participants',
    open: 'Under way',
    done: 'Done',
    screened_out: 'Screened out',
    no_work: 'No work left',
    incomplete: 'Skipped the rest',
    owed: 'Owed as bonus',
  },
  sessionsTitle: 'Sessions',
  noSessions: 'Nobody has arrived yet.',
  columns: {
    id: 'Participant',
    outcome: 'Outcome',
    labels: 'Labels',
    skipped: 'Skipped',
    known: 'Known right',
    time: 'Time',
    owed: 'Owed as bonus',
  },
  outcomes: { open: 'under way', done: 'done', 'screened-out': 'screened out', 'no-work': 'no work left', incomplete: 'skipped the rest' },
  minutes: (seconds: number) => `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`,
  exportSessions: 'Export sessions (CSV)',
  exportBonuses: 'Bonus file (CSV)',
  bonusHint:
    'One line per participant with id and amount, as Prolific takes it. Each amount is the price of all their labels so far. If the platform’s reward already covers the labels, you owe no bonus.',
  noBonus: 'Labels of this campaign have no price in money, so you owe no bonuses: people get the reward of the platform.',
}
