// The requester's own link to a campaign: a worker's link like any other. It is created once and kept
// while these pages are open.
import type { Requester } from '../api/requester.ts'
import { texts } from '../texts.ts'

const links = new Map<string, string>()

export async function ownLink(server: Requester, campaign: string): Promise<string> {
  const owner = `${server.client.token} ${campaign}`
  const known = links.get(owner)
  if (known !== undefined) return known
  const { link } = await server.link(campaign, texts.requester.board.ownName)
  const address = new URL(link, location.origin).href
  links.set(owner, address)
  return address
}
