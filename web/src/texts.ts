/**
 * Every English sentence of the pages, in one object. A translation is another object of the same
 * shape. Sentences with numbers or names are functions. Each file in texts/ holds one part of the pages.
 */
import { account } from './texts/account.ts'
import { audit } from './texts/audit.ts'
import { board } from './texts/board.ts'
import { common } from './texts/common.ts'
import { compare } from './texts/compare.ts'
import { importLabels } from './texts/import_labels.ts'
import { item } from './texts/item.ts'
import { join } from './texts/join.ts'
import { label } from './texts/label.ts'
import { models } from './texts/models.ts'
import { people } from './texts/people.ts'
import { policies } from './texts/policies.ts'
import { recruiting } from './texts/recruiting.ts'
import { chart, list, requester, signIn } from './texts/requester.ts'
import { review } from './texts/review.ts'
import { archive, moreItems, settings } from './texts/settings.ts'
import { wizard } from './texts/wizard.ts'
import { workersPage } from './texts/workers_page.ts'

export const texts = {
  name: 'allot',
  common,
  label,
  join,
  account,
  review,
  requester: { ...requester, policies, signIn, list, wizard, board, audit, item, compare, chart, workersPage, settings, moreItems, archive, importLabels, recruiting, models, people },
}
