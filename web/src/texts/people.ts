import { counted } from './count.ts'

/** People who label or review a campaign with their accounts. */
export const people = {
  title: 'People with accounts',
  hint: 'They sign in and label or review without a link, under their address. They find their campaigns at',
  none: 'Nobody works here with an account yet.',
  person: 'Person',
  role: 'Role',
  roles: { worker: 'labels', reviewer: 'reviews' },
  since: 'Added',
  addresses: 'Addresses',
  addressesHint: 'One per line, such as ann@example.org. Adding an address again changes the role.',
  as: 'Add as',
  asWorkers: 'workers, who label',
  asReviewers: 'reviewers, who decide items',
  add: 'Add people',
  added: (n: number) => `${counted(n, 'person', 'people')} added.`,
  remove: 'Remove',
  removeOf: (address: string) => `Remove ${address}`,
  removeTitle: (address: string) => `Remove ${address}?`,
  removeText: 'The person can no longer work in this campaign. Labels and verdicts stay. You can add the person again.',
  removed: (address: string) => `${address} can no longer work in this campaign.`,
}
