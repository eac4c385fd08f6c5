import { number } from './count.ts'

/** Sentences that the requester's pages share. */
export const requester = {
  tagline: 'Labels where they matter',
  skipToContent: 'Skip to content',
  home: 'All campaigns',
  docs: 'API',
  signOut: 'Sign out',
  work: 'Your work',
  loading: 'Loading …',
  notFound: 'Page not found',
  notFoundHint:
    'It may have moved, or the address has a typo. Open a worker’s link in full, exactly as it was sent.',
  backHome: 'Back to all campaigns',
  copy: 'Copy',
  copied: 'Copied',
  personalToken:
    'This token belongs to a worker, a reviewer or a monitor. If a link came with it, open the link instead.',
  disconnected: (since: string) =>
    `The server is not responding. This page shows the state at ${since} and updates when the server is back.`,
  /** Beside links that only this computer can open. */
  localAddress: {
    title: 'Links work only on this computer for now.',
    more: 'Let other people in …',
    own: 'Stop the server. Start it again with a public address and a certificate, on the same data:',
    proxy: 'Or start it behind a proxy that speaks TLS, and name the address of the proxy:',
    after: 'Then reload this page and copy the links again: the ones from before still lead to this computer. Tests on this computer work as it is.',
  },
  failed: (reason: string) => `That did not work: ${reason}`,
  phases: { running: 'running', paused: 'paused', closed: 'ended', archived: 'archived' },
}

export const signIn = {
  title: 'Sign in',
  intro:
    'allot spends a labelling budget where it changes answers. It decides which item to ask about next and which worker to ask, and it estimates how certain every answer is.',
  withProvider: (name: string) => `Sign in with ${name}`,
  orToken: 'Or with a token:',
  refusals: {
    late: 'That sign-in took too long, or began in another window. Try again.',
    provider: 'The sign-in provider does not respond. Try again later.',
    refused: 'The sign-in was refused. Try again, or ask the people who run this server.',
    revoked: 'Your access to this server was revoked. Ask the people who run it.',
    'no-address': 'Your account has no verified e-mail address, which workers and reviewers need here. Ask the people who run it.',
    'no-role': 'You have no role on this server. Ask the people who run it to add you.',
  },
  token: 'Your token',
  hint: 'It starts with allot_. It was shown once: when the server first started, or when someone created it for you.',
  submit: 'Sign in',
  checking: 'Checking …',
  badShape: 'A token starts with allot_ and has no spaces.',
}

export const list = {
  title: 'Campaigns',
  create: 'New campaign',
  empty: 'No campaigns yet',
  emptyHint: 'Drop a file of items, set the possible answers and a budget. Creating a campaign takes about two minutes.',
  spent: 'Budget spent',
  accuracy: 'Expected accuracy',
  notVerified: 'Accuracy: estimated by the model, not verified',
  answers: 'Answered',
  answersOf: (answers: number, items: number) => `${number(answers)} of ${number(items)}`,
  labels: 'Labels',
  items: 'Items',
  /** Known ones are not asked for answers. */
  itemsOf: (open: number, gold: number) => (gold === 0 ? number(open) : `${number(open)} + ${number(gold)} known`),
  created: (day: string) => `Created ${day}`,
  twinOf: (name: string) => `compared with ${name}`,
  compare: 'Compare',
  spentOf: (spent: string, budget: string) => `${spent} of ${budget}`,
  filter: 'Find by name',
  noMatch: 'No campaigns match.',
  more: 'Show more',
  archive: (count: number) => `Archive (${number(count)})`,
  archiveTitle: 'Archived campaigns',
  archiveEmpty: 'The archive is empty.',
  current: 'Back to the current campaigns',
}

/** The shared parts of all charts. */
export const chart = {
  showTable: 'Show as table',
  table: 'Chart data',
  empty: 'Nothing to show yet.',
}
