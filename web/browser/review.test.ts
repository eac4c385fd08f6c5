// The reviewer's page, and reviews and audits on the board, in Chromium against a real server.
import type { BrowserContext, Page } from 'playwright-core'
import { afterEach, describe, expect, it } from 'vitest'
import { path } from '../src/api/client.ts'
import type { Audit, ReviewRow, Verdict } from '../src/api/review_types.ts'
import { kKeyDelay, kPointerDelay } from '../src/label/press_guard.ts'
import { answerLooks, barriers, smallTargets, until, visit } from './harness.ts'
import { board, browser, figure, items, server, signedIn, useServer } from './requester_harness.ts'

useServer()
const opened: BrowserContext[] = []
afterEach(async () => {
  for (const context of opened.splice(0)) await context.close()
})

/** Creates a campaign whose items have labels of ann, bob and cat; bob is often wrong. */
async function labelled(count: number): Promise<string> {
  const campaign = await server.campaign({}, items(count, false))
  for (const [n, worker] of ['ann', 'bob', 'cat'].entries()) {
    const { assignments } = await server.admin.post<{ assignments: { item: string }[] }>(
      path('campaigns', campaign, 'assignments'),
      { worker, count },
    )
    for (const { item } of assignments) {
      const number = Number(item.slice(1))
      const isOdd = (number + (worker === 'bob' && (number + n) % 3 === 0 ? 1 : 0)) % 2 === 1
      await server.admin.post(path('campaigns', campaign, 'labels'), {
        worker,
        item,
        label: isOdd ? 'positive' : 'negative',
      })
    }
  }
  return campaign
}

async function reviewerLink(campaign: string, reviewer: string): Promise<string> {
  const created = await server.admin.post<{ link: string }>(path('campaigns', campaign, 'links'), { reviewer })
  return server.address + created.link
}

/** Opens the reviewer's page and waits for the first item. */
async function review(campaign: string, options = {}) {
  const visited = await visit(browser, await reviewerLink(campaign, 'rae'), options)
  opened.push(visited.context)
  await visited.page.locator('[data-item]').waitFor()
  return visited
}

const verdicts = async (campaign: string) =>
  (await server.admin.get<{ verdicts: Verdict[] }>(path('campaigns', campaign, 'verdicts'))).verdicts
const recorded = (campaign: string, count: number) =>
  until(async () => (await verdicts(campaign)).length === count, `${count} verdicts`)
const queue = async (campaign: string) =>
  (await server.admin.get<{ items: ReviewRow[] }>(path('campaigns', campaign, 'review'))).items

const shown = (page: Page) => page.locator('[data-item]').getAttribute('data-item')
const says = (page: Page, text: string) => page.getByText(text).first().waitFor()
const ready = (page: Page) => page.waitForTimeout(kKeyDelay + 20)

async function changed(page: Page, before: string | null) {
  await page.waitForFunction((old) => document.querySelector('[data-item]')?.getAttribute('data-item') !== old, before)
}

/** Presses a key, waits for the next item, and returns the item that was decided. */
async function press(page: Page, key: string) {
  const before = await shown(page)
  await ready(page)
  await page.keyboard.press(key)
  await changed(page, before)
  return before
}

describe('the reviewer’s page', () => {
  it('decides items by keyboard, with a reason, and takes verdicts back', async () => {
    const campaign = await labelled(8)
    const { page, faults } = await review(campaign)
    expect(await shown(page)).toBe((await queue(campaign))[0]?.item)
    const evidence = figure(page, 'What workers said')
    await evidence.getByText('ann').first().waitFor()
    await says(page, 'In the queue as one of the least certain answers')
    await says(page, '8 left')
    expect(await barriers(page)).toEqual([])

    const first = await press(page, '1')
    await ready(page)
    await page.keyboard.press('r')
    // Digits in the reason do not decide.
    await page.keyboard.type('2 of 3 missed the irony')
    await page.keyboard.press('Enter')
    const second = await press(page, '2')
    await recorded(campaign, 2)
    expect((await verdicts(campaign)).find(({ item }) => item === first)).toMatchObject({ answer: 'negative', reviewer: 'rae' })
    expect((await verdicts(campaign)).find(({ item }) => item === second)).toMatchObject({
      answer: 'positive',
      reason: '2 of 3 missed the irony',
    })
    await says(page, '2 decided today')
    expect(await page.getByLabel('Reason').inputValue()).toBe('')

    await page.keyboard.press('u')
    await page.waitForFunction((item) => document.querySelector(`[data-item="${item}"]`), second)
    await recorded(campaign, 1)
    await press(page, '1')
    await recorded(campaign, 2)
    await page.getByRole('button', { name: `Undo ${first}` }).click()
    await page.waitForFunction((item) => document.querySelector(`[data-item="${item}"]`), first)
    await recorded(campaign, 1)
    expect(faults).toEqual([])
  })

  it('orders the queue, puts items off, and ends with an empty queue', async () => {
    const campaign = await labelled(3)
    const { page } = await review(campaign)
    await page.getByLabel('Show first').selectOption('most disputed')
    await page.locator('[data-item]').waitFor()
    const later = await press(page, 's')
    await press(page, '1')
    await press(page, '1')
    expect(await shown(page)).toBe(later)
    await ready(page)
    await page.keyboard.press('1')
    await page.getByRole('heading', { name: 'Nothing to review right now' }).waitFor()
    expect(await barriers(page)).toEqual([])
    await recorded(campaign, 3)
    // After a reload the page still knows what it decided.
    await page.reload()
    await says(page, '3 decided today')
    await page.keyboard.press('u')
    await page.locator(`[data-item="${later}"]`).waitFor()
    await recorded(campaign, 2)
  })

  it('keeps verdicts while the network is away, and the server counts each once', async () => {
    const campaign = await labelled(6)
    const { page, context } = await review(campaign)
    await context.setOffline(true)
    const away = [await press(page, '1'), await press(page, '2')]
    await says(page, '2 verdicts are saved on this device')
    expect(await verdicts(campaign)).toHaveLength(0)
    await context.setOffline(false)
    await recorded(campaign, 2)
    expect((await verdicts(campaign)).map(({ item }) => item).sort()).toEqual([...away].sort())
    let lost = 0
    await page.route('**/verdicts', async (route) => {
      if (route.request().method() !== 'POST' || ++lost > 2) return route.continue()
      await route.fetch()
      await route.abort()
    })
    await press(page, '1')
    await until(() => lost > 2, 'the third attempt')
    await recorded(campaign, 3)
    await page.getByText('No connection').waitFor({ state: 'detached' })
    expect(await page.getByText('did not count').count()).toBe(0)
  })

  it('says in one sentence that a verdict did not count', async () => {
    const campaign = await labelled(4)
    const { page } = await review(campaign)
    const item = await shown(page)
    await server.admin.post(path('campaigns', campaign, 'verdicts'), { item, answer: 'positive', reviewer: 'kim' })
    await press(page, '1')
    await says(page, `Your verdict on “${item}” did not count: the item already had one.`)
    expect((await verdicts(campaign)).map(({ reviewer }) => reviewer)).toEqual(['kim'])
  })

  it('works by touch on a narrow phone, and no answer looks chosen beforehand', async () => {
    const campaign = await labelled(5)
    const phone = { viewport: { width: 360, height: 640 }, hasTouch: true, isMobile: true }
    const { page } = await review(campaign, phone)
    const before = await answerLooks(page)
    expect(new Set(before).size).toBe(1)
    const item = await shown(page)
    await page.waitForTimeout(kPointerDelay + 50)
    await page.getByRole('button', { name: 'positive' }).tap()
    await changed(page, item)
    await page.waitForTimeout(300)
    expect(await answerLooks(page)).toEqual(before)
    expect(await smallTargets(page)).toEqual([])
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360)
    expect(await barriers(page)).toEqual([])
    await recorded(campaign, 1)
  })

  it('stays English, and its answers do not cover the item in a low window', async () => {
    const campaign = await labelled(2)
    const { page } = await review(campaign, { viewport: { width: 640, height: 400 }, locale: 'de-DE' })
    await page.getByRole('button', { name: 'Help' }).waitFor()
    expect(await page.evaluate(() => document.documentElement.lang)).toBe('en')
    const card = await page.locator('[data-item]').boundingBox()
    const answers = await page.getByRole('group', { name: 'Answers' }).boundingBox()
    expect((card?.y ?? NaN) + (card?.height ?? NaN)).toBeLessThan(answers?.y ?? NaN)
    expect(await barriers(page)).toEqual([])
  })

  it('refuses a link that is cut or for workers', async () => {
    const campaign = await labelled(1)
    const { page, context } = await visit(browser, `${server.address}/review/${campaign}`)
    opened.push(context)
    await page.getByRole('heading', { name: 'This link does not work' }).waitFor()
    // The page loads again for another token.
    await page.goto((await server.link(campaign, 'ann')).replace('/label/', '/review/'))
    await says(page, 'It belongs to another campaign')
  })
})

describe('reviews and audits', () => {
  it('run from the board to the proof', async () => {
    const campaign = await labelled(20)
    const { page, context, faults } = await visit(browser, signedIn(`/campaigns/${campaign}`))
    opened.push(context)
    await board(page)
    await figure(page, 'Right answers').getByText('estimated by the model, not verified').waitFor()
    const panel = figure(page, 'Reviews and audit')
    await panel.getByText('No item has a verdict yet.').waitFor()
    await panel.getByLabel('Reviewer’s name').fill('rae')
    await page.keyboard.press('Enter')
    await panel.getByRole('rowheader', { name: 'rae' }).waitFor()
    const link = (await panel.locator('code').textContent()) ?? ''

    await panel.getByLabel('Number of checks').fill('none')
    await panel.getByRole('button', { name: 'Start an audit' }).click()
    await panel.getByText('“none” is not a number of checks').waitFor()
    await panel.getByLabel('Number of checks').fill('4')
    await panel.getByRole('button', { name: 'Start an audit' }).click()
    await panel.getByText('No answer is checked yet.').waitFor()
    expect(await barriers(page)).toEqual([])

    const reviewer = await visit(browser, link)
    opened.push(reviewer.context)
    await reviewer.page.locator('[data-why=audit]').waitFor()
    await says(reviewer.page, 'Audit check, drawn at random.')
    await says(reviewer.page, 'audit 0 of 4')
    expect(await reviewer.page.getByText('What workers said').count()).toBe(0)
    expect(await barriers(reviewer.page)).toEqual([])
    for (let n = 0; n < 4; ++n) {
      await reviewer.page.locator('[data-why=audit]').waitFor()
      const number = Number((await shown(reviewer.page))?.slice(1))
      await press(reviewer.page, number % 2 ? '2' : '1')
    }
    await says(reviewer.page, 'audit 4 of 4')
    await figure(reviewer.page, 'What workers said').waitFor()

    await panel.getByText('Checked 4 of 20 answers').waitFor()
    const { audit } = await server.admin.get<{ audit: Audit }>(path('campaigns', campaign, 'audit'))
    await panel.getByText(`at least ${((audit.lower ?? 0) * 100).toFixed(1)}% of all answers are right`).waitFor()
    await panel.getByText('4 items have a verdict.').waitFor()
    expect(await barriers(page)).toEqual([])
    expect([...faults, ...reviewer.faults]).toEqual([])
  })

  it('shows a verdict on the item’s page and takes it back there', async () => {
    const campaign = await labelled(2)
    const verdict = { item: 'r0', answer: 'positive', reason: 'irony', reviewer: 'rae' }
    await server.admin.post(path('campaigns', campaign, 'verdicts'), verdict)
    const { page, context } = await visit(browser, signedIn(`/campaigns/${campaign}/items/r0`))
    opened.push(context)
    const answer = figure(page, 'Answer')
    await answer.getByText('by rae').waitFor()
    await answer.getByText('“irony”').waitFor()
    expect(await barriers(page)).toEqual([])
    await answer.getByRole('button', { name: 'Take the verdict back' }).click()
    await answer.getByText('by rae').waitFor({ state: 'detached' })
    await recorded(campaign, 0)
    await page.getByText('verdict taken back').waitFor()
  })
})
