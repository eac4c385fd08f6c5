// People who label and review with their accounts, signed in by a proxy that the browser plays.
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { path } from '../src/api/client.ts'
import { kPointerDelay } from '../src/label/press_guard.ts'
import { barriers, browse, Server, smallTargets, until, visit } from './harness.ts'
import { items } from './requester_harness.ts'

let server: Server
let browser: Browser
const boss = 'boss@example.org'
const ann = 'ann@example.org'
const rex = 'rex@example.org'

beforeAll(async () => {
  vi.setConfig({ testTimeout: 240_000 })
  const options = ['--proxy-header', 'X-Forwarded-Email', '--trusted-proxies', '127.0.0.1']
  const people = ['--sign-in-admins', boss, '--sign-in-reviewers', rex, '--sign-in-workers', '@example.org']
  ;[server, browser] = await Promise.all([new Server([...options, ...people]).start(), browse()])
})
afterAll(async () => {
  await browser.close()
  await server.stop()
})

const phone = { viewport: { width: 360, height: 640 }, hasTouch: true, isMobile: true }

const as = (person: string, where: string, options = {}) =>
  visit(browser, server.address + where, { extraHTTPHeaders: { 'X-Forwarded-Email': person }, ...options })

const add = (campaign: string, person: string, role: string) =>
  server.admin.put(path('campaigns', campaign, 'people', person), { role })

async function press(page: Page, key: string) {
  await page.locator('[data-item]').first().waitFor()
  await page.waitForTimeout(2 * kPointerDelay)
  await page.keyboard.press(key)
}

it('lets the owner add people, who label and review without a link', async () => {
  const campaign = await server.campaign({ page: { question: 'How is it?' } }, items(4))
  const owner = await as(boss, `/campaigns/${campaign}/workers`, phone)
  const card = owner.page.getByRole('region', { name: 'People with accounts' })
  await card.getByLabel('Addresses').fill(`Ann@example.org\nbob@example.org`)
  await card.getByRole('button', { name: 'Add people' }).click()
  await card.getByText('2 people added.').waitFor()
  await card.getByLabel('Addresses').fill(rex)
  await card.getByLabel('Add as').selectOption({ label: 'reviewers, who decide items' })
  await card.getByRole('button', { name: 'Add people' }).click()
  await card.getByRole('row', { name: rex }).getByText('reviews').waitFor()
  expect(await barriers(owner.page)).toEqual([])
  expect(await smallTargets(owner.page)).toEqual([])

  const worker = await as(ann, '/', phone)
  await worker.page.getByText(`Signed in as ${ann}`).waitFor()
  expect(await barriers(worker.page)).toEqual([])
  expect(await smallTargets(worker.page)).toEqual([])
  await worker.page.getByRole('link', { name: 'Start Reviews' }).click()
  await press(worker.page, '1')
  await press(worker.page, '2')
  await worker.page.getByText('2 answers').waitFor()
  await until(async () => (await server.labels(campaign)).length === 2, 'two labels')
  expect(new Set((await server.labels(campaign)).map(({ worker: name }) => name))).toEqual(new Set([ann]))

  const reviewer = await as(rex, '/work')
  await reviewer.page.getByText('You review').waitFor()
  await reviewer.page.getByRole('link', { name: 'Start Reviews' }).click()
  await press(reviewer.page, '1')
  const verdicts = async () =>
    (await server.admin.get<{ verdicts: { reviewer: string }[] }>(path('campaigns', campaign, 'verdicts'))).verdicts
  await until(async () => (await verdicts()).length === 1, 'a verdict')
  expect((await verdicts())[0]?.reviewer).toBe(rex)

  await card.getByRole('button', { name: `Remove ${ann}` }).click()
  await owner.page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await card.getByText(`${ann} can no longer work in this campaign.`).waitFor()
  await worker.page.reload()
  await worker.page.getByRole('heading', { name: 'This campaign is not open to you' }).waitFor()
  expect(await barriers(worker.page)).toEqual([])
  await worker.page.getByRole('link', { name: 'Your campaigns' }).last().click()
  await worker.page.getByText('No campaigns yet').waitFor()
  expect([...owner.faults, ...worker.faults, ...reviewer.faults]).toEqual([])
  for (const { context } of [owner, worker, reviewer]) await context.close()
})

it('keeps answers of a person apart from those of another in the same browser', async () => {
  const campaign = await server.campaign({}, items(4))
  await add(campaign, ann, 'worker')
  await add(campaign, 'bob@example.org', 'worker')
  const { page, context } = await as(ann, `/label/${campaign}`)
  await page.locator('[data-item]').first().waitFor()
  await context.route('**/labels', (route) => route.abort())
  await press(page, '1')
  await page.getByText('1 answer is saved on this device').waitFor()
  await context.unroute('**/labels')
  await context.setExtraHTTPHeaders({ 'X-Forwarded-Email': 'bob@example.org' })
  await page.reload()
  await page.getByText('0 answers').waitFor()
  expect(await server.labels(campaign)).toEqual([])
  await context.setExtraHTTPHeaders({ 'X-Forwarded-Email': ann })
  await page.reload()
  await until(async () => (await server.labels(campaign)).length === 1, 'the answer of ann')
  expect((await server.labels(campaign))[0]?.worker).toBe(ann)
  await context.close()
})

it('tells people without an account what to do, and lets links work', async () => {
  const campaign = await server.campaign({}, items(2))
  const nobody = await visit(browser, `${server.address}/label/${campaign}`)
  await nobody.page.getByRole('heading', { name: 'Please sign in' }).waitFor()
  await nobody.page.goto(`${server.address}/work`)
  await nobody.page.getByText('Reload this page to sign in').waitFor()
  await nobody.page.goto(await server.link(campaign, 'zoe'))
  await nobody.page.locator('[data-item]').first().waitFor()
  const stranger = await as('eve@elsewhere.org', `/label/${campaign}`)
  await stranger.page.getByRole('heading', { name: 'You cannot sign in' }).waitFor()
  for (const { context } of [nobody, stranger]) await context.close()
})
