// Controls of the requester's pages are large enough for a finger.
import { expect, it } from 'vitest'
import { path } from '../src/api/client.ts'
import { smallTargets, visit } from './harness.ts'
import { browser, items, server, signedIn, useServer } from './requester_harness.ts'

useServer()

/** Creates a campaign in which ann has labelled two items and has others leased. */
async function begun(): Promise<string> {
  const campaign = await server.campaign({}, items(6))
  const assignments = path('campaigns', campaign, 'assignments')
  const leased = await server.admin.post<{ assignments: { item: string }[] }>(assignments, { worker: 'ann', count: 4 })
  for (const { item } of leased.assignments.slice(0, 2)) {
    await server.admin.post(path('campaigns', campaign, 'labels'), { worker: 'ann', item, label: 'positive' })
  }
  return campaign
}

it('has no control smaller than 24 pixels on a phone', async () => {
  const campaigns = [await begun(), await begun()]
  const [first = '', second = ''] = campaigns
  const pages: [address: string, sign: string][] = [
    ['/', 'a[href^="/campaigns/"]'],
    [`/campaigns/${first}`, 'td a, th a'],
    [`/campaigns/${first}/items/r0`, 'nav a'],
    [`/campaigns/${first}/workers`, 'td a, th button'],
    [`/campaigns/${first}/settings`, 'form button'],
    [`/compare/${first}/${second}`, 'a.target'],
    ['/new', 'nav a'],
  ]
  for (const [address, sign] of pages) {
    const phone = { viewport: { width: 360, height: 640 }, hasTouch: true, isMobile: true }
    const { page, context } = await visit(browser, signedIn(address), phone)
    await page.locator(sign).first().waitFor()
    expect(await smallTargets(page), address).toEqual([])
    await context.close()
  }
})
