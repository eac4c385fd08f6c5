/** An Idempotency-Key. By hand: crypto.randomUUID is for secure contexts alone, not for plain HTTP from another machine. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (one) => one.toString(16).padStart(2, '0')).join('')
}
