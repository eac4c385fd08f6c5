/** What the example file asks. */
export const example = {
  name: 'Customer messages',
  question: 'Does the writer ask for help?',
}

/** Templates of the wizard: a question with its answers and instructions for common tasks. */
export const templates = {
  sentiment: {
    name: 'Sentiment of reviews',
    question: 'How does the writer feel about the product?',
    classes: ['negative', 'neutral', 'positive'],
    instructions: [
      '# How to answer',
      '',
      '- **negative**: the writer is disappointed or would not buy it again.',
      '- **neutral**: the writer only states facts, or praise and criticism are equal.',
      '- **positive**: the writer is satisfied or recommends it.',
      '',
      'Judge the whole text, not single words. With irony, answer what the writer means.',
    ],
  },
  moderation: {
    name: 'Moderation of comments',
    question: 'Does this comment break the rules?',
    classes: ['may stay', 'breaks the rules'],
    instructions: [
      '# The rules',
      '',
      'A comment **breaks the rules** if it',
      '',
      '- insults or threatens a person or a group,',
      '- publishes private data of somebody else,',
      '- is advertising that has nothing to do with the topic.',
      '',
      'Harsh criticism of a thing or an opinion is allowed: such a comment **may stay**.',
    ],
  },
  relevance: {
    name: 'Relevance of search results',
    question: 'How well does the result answer the query?',
    classes: ['not relevant', 'partly relevant', 'relevant'],
    instructions: [
      '# How to answer',
      '',
      '- **not relevant**: someone with this query would skip the result.',
      '- **partly relevant**: the topic fits, but something that the query asks for is missing.',
      '- **relevant**: the result is what someone with this query wants.',
    ],
  },
  duplicates: {
    name: 'Duplicate pairs',
    question: 'Do both entries describe the same thing?',
    classes: ['different', 'same'],
    instructions: [
      '# How to answer',
      '',
      'Answer **same** if both entries describe one and the same product, even if they are written differently.',
      '',
      'Another size, colour, model or pack is a **different** product.',
    ],
  },
}
