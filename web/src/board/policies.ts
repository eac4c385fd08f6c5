import { texts } from '../texts.ts'

/** The default policy, and the one to compare it with. */
export const kAdaptive = 'budget-kg'
export const kEqual = 'least-labelled'
/** Policies that ask about every item equally often. */
export const kEqualPolicies = ['least-labelled', 'uniform']
/** Policies for a new campaign; `twoOnly` ones need a question with two answers. */
export const kOfferedPolicies = [
  { policy: kAdaptive, twoOnly: false },
  { policy: 'label-price', twoOnly: true },
  { policy: 'eig', twoOnly: false },
  { policy: kEqual, twoOnly: false },
]

export function policyName(policy: string): string {
  return texts.requester.policies[policy]?.name ?? policy
}
