import { texts } from '../texts.ts'

/** The policy that is offered first, and the one it is compared with. */
export const kAdaptive = 'opt-kg'
export const kEqual = 'least-labelled'
export const kEqualOnes = ['least-labelled', 'uniform']
/** Those that a new campaign is offered, and whether they are for questions with two answers alone. */
export const kOffered = [
  { policy: kAdaptive, twoOnly: false },
  { policy: 'label-price', twoOnly: true },
  { policy: 'eig', twoOnly: false },
  { policy: kEqual, twoOnly: false },
]

export function policyName(policy: string): string {
  return texts.requester.policies[policy]?.name ?? policy
}
