/** Makes an Idempotency-Key. Browsers offer crypto.randomUUID only over HTTPS and on localhost, so it is not used. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
