// Every page in both themes, without a finding of axe, whatever its weight.
import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { path } from '../src/api/client.ts'
import type { RecruitingLink } from '../src/api/recruiting_types.ts'
import { visit } from './harness.ts'
import { answer, board, browser, items, server, signedIn, useServer } from './requester_harness.ts'

useServer()

/** The findings in the light theme; in the dark theme only colours can differ. */
async function findings(page: Page): Promise<string[]> {
  const found: string[] = []
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    const axe = new AxeBuilder({ page })
    const { violations } = await (colorScheme === 'dark' ? axe.withRules(['color-contrast', 'link-in-text-block']) : axe).analyze()
    found.push(...violations.map(({ id, nodes }) => `${colorScheme} ${id}: ${nodes.map((node) => node.html).join(' | ')}`))
  }
  return found
}

type Visit = [name: string, where: string, ready: (shown: Page) => Promise<unknown>]

async function expectNoFindings(pages: Visit[]) {
  for (const [name, where, ready] of pages) {
    const { page, context } = await visit(browser, where)
    await ready(page)
    expect(await findings(page), name).toEqual([])
    await context.close()
  }
}

const heading = (name: string) => (shown: Page) => shown.getByRole('heading', { name, exact: true }).first().waitFor()
const page = {
  question: 'How is it?',
  instructions: '**Read** it.',
  classes: ['negative', 'positive'].map((name) => ({ class: name, name, example: `A ${name} one.` })),
}

it('has no finding on the pages of a campaign', async () => {
  const campaign = await server.campaign({ page }, items(6))
  await answer(campaign, ['ann', 'bob'], 3)
  const { id: twin } = await server.admin.post<{ id: string }>(path('campaigns', campaign, 'twin'), { policy: 'uniform' })
  await answer(twin, ['ann'], 2)
  await server.admin.post(path('campaigns', campaign, 'recruiting'), { platform: 'mturk', labels: 2 })
  const at = (where: string) => signedIn(`/campaigns/${campaign}${where}`)
  await expectNoFindings([
    ['board', at(''), board],
    ['item', at('/items/r0'), heading('Item r0')],
    ['workers', at('/workers'), (shown) => shown.getByRole('button', { name: 'ann' }).click()],
    ['settings', at('/settings'), heading('More items')],
    ['recruiting', at('/recruiting'), heading('Sessions')],
    ['compare', signedIn(`/compare/${campaign}/${twin}`), heading('Side by side')],
  ])
})

it('has no finding on the pages around campaigns, and on those of people who label', async () => {
  const campaign = await server.campaign({ page }, items(6))
  await answer(campaign, ['ann'], 2)
  const archived = await server.campaign({}, items(2))
  await server.admin.post(path('campaigns', archived, 'archive'))
  const link = await server.admin.post<RecruitingLink>(path('campaigns', campaign, 'recruiting'), { platform: 'panel', id_parameter: 'PID', labels: 2 })
  const { link: review } = await server.admin.post<{ link: string }>(path('campaigns', campaign, 'links'), { reviewer: 'rex' })
  await expectNoFindings([
    ['sign-in', `${server.address}/`, heading('Sign in')],
    ['work', `${server.address}/work`, heading('Sign in')],
    ['list', signedIn('/'), heading('Campaigns')],
    ['archive', signedIn('/archive'), heading('Archived campaigns')],
    ['unknown page', signedIn('/nonsense'), heading('Page not found')],
    ['wizard', signedIn('/new'), heading('Or start from a template')],
    ['label', await server.link(campaign, 'zoe'), (shown) => shown.getByRole('button', { name: 'Start' }).click()],
    ['review', server.address + review, (shown) => shown.locator('[data-item]').first().waitFor()],
    ['join', `${server.address}/join/${campaign}/${link.id}?PID=p1`, heading('Your consent')],
  ])
})
