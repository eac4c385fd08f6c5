/** Who can open an address of this server. */

/** Whether an address leads only to the computer on which it is opened. */
export function isLoopback(address: string): boolean {
  const { hostname } = new URL(address)
  return hostname === 'localhost' || hostname.endsWith('.localhost') || /^127\.\d+\.\d+\.\d+$/.test(hostname) || hostname === '[::1]'
}
