/** The theme: the system's, unless a person chose light or dark. The browser keeps the choice. */
export type Theme = 'auto' | 'light' | 'dark'

const kKey = 'allot.theme'

export function chosenTheme(): Theme {
  try {
    const stored = localStorage.getItem(kKey)
    return stored === 'light' || stored === 'dark' ? stored : 'auto'
  } catch {
    return 'auto'
  }
}

export function applyTheme(theme: Theme = chosenTheme()) {
  if (theme === 'auto') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
}

export function chooseTheme(theme: Theme) {
  applyTheme(theme)
  try {
    if (theme === 'auto') localStorage.removeItem(kKey)
    else localStorage.setItem(kKey, theme)
  } catch {
    // Without storage the choice lasts as long as the page.
  }
}
