import { describe, expect, it } from 'vitest'
import { texts } from '../texts.ts'
import { readSheet } from '../wizard/csv.ts'
import { columnsLike } from './more_items.ts'

const sheet = readSheet('id,text,picture,note,gold\n1,Hello,https://x.org/a.png,mine,yes\n', texts.requester.wizard.csvFaults)
const roles = (known: string[], kinds = {}) =>
  Object.fromEntries(columnsLike(sheet, known, kinds).map(({ name, role }) => [name, role]))

describe('columnsLike', () => {
  it('shows what the campaign shows, as it shows it', () => {
    expect(roles(['text'], { picture: 'image', note: 'hidden' })).toEqual({
      id: 'id',
      text: 'text',
      picture: 'image',
      note: 'hidden',
      gold: 'gold',
    })
  })
  it('ignores columns that the campaign does not have', () => {
    expect(roles(['text'])).toEqual({ id: 'id', text: 'text', picture: 'ignore', note: 'ignore', gold: 'gold' })
  })
  it('guesses where no column is known', () => {
    expect(roles([])).toMatchObject({ text: 'text', picture: 'image', note: 'text' })
    expect(roles(['message'])).toMatchObject({ text: 'text' })
  })
})
