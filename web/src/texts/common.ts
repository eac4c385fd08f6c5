/** Sentences that every page can show. */
export const common = {
  theme: 'Theme',
  themes: { auto: 'system', light: 'light', dark: 'dark' },
  close: 'Close',
  offline: 'The server cannot be reached.',
  unexpectedStatus: (status: number) => `The server answered with status ${status}.`,
}
