export interface PolicyText {
  name: string
  /** In one sentence. */
  summary: string
  description: string
}

/** Policies by the name that the API gives them. */
export const policies: Record<string, PolicyText> = {
  'budget-kg': {
    name: 'Adaptive',
    summary: 'Asks next where one more label should help most.',
    description:
      'After every label, allot estimates how certain each answer is and asks next where one more label should help most. Clear items get few labels, unclear ones get more. Best for most campaigns.',
  },
  'even-kg': {
    name: 'Adaptive, without the budget',
    summary: 'Asks next where one more label should help most.',
    description:
      'Like Adaptive, but chooses whom to ask in the same way however much of the budget is left. Campaigns made by older versions have it.',
  },
  'kg-eig': {
    name: 'Adaptive, with leanings',
    summary: 'Asks next where one more label should help most.',
    description:
      'Like Adaptive, but also goes by what few labels say about the answers that a worker leans to. Campaigns made by older versions have it.',
  },
  'opt-kg': {
    name: 'Adaptive, optimistic',
    summary: 'Asks next where a label could help most.',
    description: 'Like Adaptive, but asks where a label could help most if it turns out well. The policy of the paper.',
  },
  'label-price': {
    name: 'Adaptive, looking further ahead',
    summary: 'Asks next where several more labels should help most.',
    description:
      'Like Adaptive, but considers several more labels for an item instead of one. Somewhat better with large budgets. Only for questions with two answers.',
  },
  eig: {
    name: 'Adaptive, by information',
    summary: 'Asks next where a label tells most about the answer.',
    description:
      'Asks where a label tells most about the answer, not where it adds most right answers. Spreads labels somewhat more evenly.',
  },
  'least-labelled': {
    name: 'Equal splitting',
    summary: 'Gives every item the same number of labels.',
    description:
      'Every item gets the same number of labels, clear or not. This is the usual way without allot, and a good baseline to compare with.',
  },
  uniform: {
    name: 'Random',
    summary: 'Picks items at random.',
    description: 'Picks items at random. Only useful as a baseline to compare with.',
  },
}
