/**
 * Every English sentence of the pages, so that a translation is another object of the same shape.
 * Sentences with numbers are functions. A section a page.
 */

/** "1 label", "2 labels". */
export const counted = (n: number, one: string, many: string) => `${number(n)} ${n === 1 ? one : many}`

const whole = new Intl.NumberFormat('en')
export const number = (n: number) => whole.format(n)

export const texts = {
  name: 'allot',
  common: {
    themeLight: 'Light',
    themeDark: 'Dark',
    themeAuto: 'As the system',
    theme: 'Colours',
    close: 'Close',
    cancel: 'Cancel',
    tryAgain: 'Try again',
    offline: 'The server cannot be reached.',
    notOurs: (status: number) => `The server answered with ${status}.`,
  },

  label: {},

  requester: {},
}
