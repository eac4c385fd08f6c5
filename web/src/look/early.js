// Applies the chosen theme before the first paint, so that the page does not flash in the other one. It
// is a separate file because inline scripts are not allowed. theme.ts stores the choice.
try {
  const stored = localStorage.getItem('allot.theme')
  if (stored === 'light' || stored === 'dark') document.documentElement.dataset.theme = stored
} catch {
  // Without storage the system's theme applies.
}
