/** Dark or light: as the system has it, unless somebody chose. The choice is kept. */
export type Theme = 'auto' | 'light' | 'dark'

const kKey = 'allot.theme'

export function chosenTheme(): Theme {
  try {
    const kept = localStorage.getItem(kKey)
    return kept === 'light' || kept === 'dark' ? kept : 'auto'
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
