import { describe, expect, it } from 'vitest'
import { shownClasses } from './shown_classes.ts'

const page = {
  classes: [
    { class: 'yes', name: 'Of course', example: 'Wow' },
    { class: 'no', name: '', example: '' },
  ],
}

describe('shown classes', () => {
  it('are those of the campaign without a page', () => {
    expect(shownClasses(['no', 'yes']).map(({ name }) => name)).toEqual(['no', 'yes'])
    expect(shownClasses(['no', 'yes'], { classes: [] }).map(({ label }) => label)).toEqual(['no', 'yes'])
  })
  it('have the names and the order of the page', () => {
    expect(shownClasses(['no', 'yes'], page)).toEqual([
      { label: 'yes', name: 'Of course', example: 'Wow' },
      { label: 'no', name: 'no', example: '' },
    ])
  })
  it('have the order of the item, if it names all', () => {
    expect(shownClasses(['no', 'yes'], page, ['no', 'yes']).map(({ name }) => name)).toEqual(['no', 'Of course'])
    expect(shownClasses(['no', 'yes'], page, ['no', 'perhaps']).map(({ label }) => label)).toEqual(['yes', 'no'])
  })
})
