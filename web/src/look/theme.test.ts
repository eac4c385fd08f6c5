import { afterEach, expect, it, vi } from 'vitest'
import { chooseTheme, chosenTheme, type Theme } from './theme.ts'

afterEach(() => {
  localStorage.clear()
  delete document.documentElement.dataset.theme
})

it('early.js applies the chosen theme before the pages run', async () => {
  const themes: Theme[] = ['dark', 'light', 'auto']
  for (const theme of themes) {
    chooseTheme(theme)
    delete document.documentElement.dataset.theme
    vi.resetModules()
    // @ts-expect-error early.js is a script, not a module
    await import('./early.js')
    expect(document.documentElement.dataset.theme).toBe(theme === 'auto' ? undefined : theme)
    expect(chosenTheme()).toBe(theme)
  }
})
