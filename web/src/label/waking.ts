/** Calls `wake` when the page comes back from sleep, another tab or a lost connection; returns how to stop that. */
export function onWake(wake: () => void): () => void {
  const visible = () => {
    if (document.visibilityState === 'visible') wake()
  }
  const events = ['online', 'focus', 'pageshow']
  for (const event of events) addEventListener(event, visible)
  document.addEventListener('visibilitychange', visible)
  return () => {
    for (const event of events) removeEventListener(event, visible)
    document.removeEventListener('visibilitychange', visible)
  }
}
