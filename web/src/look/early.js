// Runs before anything is painted, so that whoever chose dark or light sees no flash of the other; a script of its own,
// as nothing inline is allowed. What may be chosen, and where that is kept, is in theme.ts.
try {
  const kept = localStorage.getItem('allot.theme')
  if (kept === 'light' || kept === 'dark') document.documentElement.dataset.theme = kept
} catch {
  // As the system has it.
}
