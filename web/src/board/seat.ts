// The requester's own seat in a campaign: a worker's link like any other, made once while these
// pages are open.
import type { Requester } from '../api/requester.ts'
import { texts } from '../texts.ts'

const links = new Map<string, string>()

export async function seatLink(server: Requester, campaign: string): Promise<string> {
  const whose = `${server.client.token} ${campaign}`
  const known = links.get(whose)
  if (known !== undefined) return known
  const { link } = await server.link(campaign, texts.requester.board.seat)
  const whole = new URL(link, location.origin).href
  links.set(whose, whole)
  return whole
}
