/** The requester's token, as the browser keeps it for all pages of this server. */

/** Absent after signing out; empty after the server refused the token. */
export const kTokenKey = 'allot.token'

export function storedToken(): string | null {
  try {
    return localStorage.getItem(kTokenKey) || null
  } catch {
    return null
  }
}
