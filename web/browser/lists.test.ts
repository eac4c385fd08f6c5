// The lists, the dialogs and the comparison of the requester's board in Chromium, against a real server.
import type { Locator, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { path } from '../src/api/client.ts'
import { barriers, until, visit } from './harness.ts'
import { answer, board, browser, figure, items, server, signedIn, useServer } from './requester_harness.ts'

useServer()

const list = (page: Page) => page.getByRole('table').filter({ has: page.getByRole('columnheader', { name: 'State' }) })
const search = (page: Page) => page.getByLabel('Search ids and texts')

/** Waits for what the search finds, and goes on where a slow machine stopped at the time limit. */
async function searchUntil(page: Page, wanted: Locator) {
  const more = page.getByRole('button', { name: 'Keep searching' })
  for (let tries = 0; tries < 100; tries++) {
    await wanted.or(more).first().waitFor()
    if (await wanted.isVisible()) return
    await more.click({ timeout: 1000 }).catch(() => undefined)
  }
  await wanted.waitFor()
}

describe('the list of items', () => {
  it('keeps search, order, page and place when Back returns to it', async () => {
    const campaign = await server.campaign({}, items(60))
    const { page, context, faults } = await visit(browser, signedIn(`/campaigns/${campaign}`))
    await board(page)
    await search(page).fill('joy')
    await page.getByLabel('Order').selectOption('as in the file')
    await until(() => page.url().includes('q=joy') && page.url().includes('order=given-up'), 'the address follows')
    await list(page).getByText('r1', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Next' }).click()
    await list(page).getByText('r31', { exact: true }).waitFor()
    await list(page).getByText('r31', { exact: true }).scrollIntoViewIfNeeded()
    const place = await page.evaluate(() => scrollY)
    expect(place).toBeGreaterThan(300)
    await list(page).getByRole('link', { name: 'r31' }).click()
    await page.getByRole('heading', { name: 'Item r31' }).waitFor()
    await page.goBack()
    await list(page).getByText('r31', { exact: true }).waitFor()
    expect(await search(page).inputValue()).toBe('joy')
    await page.getByText('Page 2').waitFor()
    await until(async () => Math.abs((await page.evaluate(() => scrollY)) - place) < 80, 'the place is back')
    // A copied address shows the same page, and the first page is one step away.
    const copy = await visit(browser, signedIn(new URL(page.url()).pathname + new URL(page.url()).search))
    await list(copy.page).getByText('r31', { exact: true }).waitFor()
    await copy.page.getByRole('button', { name: 'Previous' }).click()
    await list(copy.page).getByText('r1', { exact: true }).waitFor()
    await copy.context.close()
    expect(faults).toEqual([])
    await context.close()
  })

  it('searches all items of a large campaign, and says how far it looked', async () => {
    const campaign = await server.campaign({ budget: 1_000_000 }, [])
    const lines = Array.from({ length: 100_000 }, (_, n) => JSON.stringify({ id: `r${n}`, text: `Review ${n}, part ${n + 1}` }))
    const upload = { raw: lines.join('\n'), type: 'application/x-ndjson', timeout: 120_000 }
    await server.admin.post(path('campaigns', campaign, 'items', 'upload'), undefined, upload)
    const { page, context, faults } = await visit(browser, signedIn(`/campaigns/${campaign}`))
    await board(page)
    await search(page).fill('part 100000')
    await searchUntil(page, list(page).getByRole('link', { name: 'r99999' }))
    await search(page).fill('nowhere')
    await searchUntil(page, page.getByText('No items match.'))
    // An id is found at once, before the search comes there.
    await page.route('**/items?*', async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 1500))
      await route.continue()
    })
    await search(page).fill('r98765')
    await list(page).getByRole('link', { name: 'r98765' }).waitFor({ timeout: 25_000 })
    await page.getByText('1 item found in the first').waitFor({ timeout: 20_000 })
    await page.unroute('**/items?*')
    await page.getByRole('button', { name: 'Keep searching' }).click()
    await page.getByRole('button', { name: 'Keep searching' }).waitFor({ state: 'detached' })
    expect(await list(page).getByRole('link').count()).toBe(1)
    expect(faults).toEqual([])
    await context.close()
  })

  it('shows pictures as pictures and HTML as text', async () => {
    const dot = 'data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw=='
    const fields = { picture: dot, body: '<p>Hello <b>there</b></p><script>1</script>' }
    const shown = { fields: { picture: 'image', body: 'html' } }
    const campaign = await server.campaign({ page: shown }, [{ id: 'a', fields }, { id: 'b', fields }])
    await server.admin.post(path('campaigns', campaign, 'assignments'), { worker: 'ann', count: 1 })
    const { page, context, faults } = await visit(browser, signedIn(`/campaigns/${campaign}`))
    await board(page)
    await list(page).getByText('Hello there').first().waitFor()
    await until(async () => (await list(page).locator('img').count()) === 2, 'two thumbnails')
    const asked = figure(page, 'Being labelled now')
    await asked.getByText('Hello there').waitFor()
    expect(await asked.locator('img').count()).toBe(1)
    expect(await page.getByText('data:image').count()).toBe(0)
    expect(await barriers(page)).toEqual([])
    expect(faults).toEqual([])
    await context.close()
  })
})

describe('an explanation', () => {
  it('stays open after the label came, and says which it was', async () => {
    const campaign = await server.campaign({}, items(12))
    await answer(campaign, ['ann', 'bob'], 8)
    const { assignments } = await server.admin.post<{ assignments: { item: string }[] }>(
      path('campaigns', campaign, 'assignments'),
      { worker: 'cat', count: 1 },
    )
    const item = assignments[0]?.item ?? ''
    const { page, context, faults } = await visit(browser, signedIn(`/campaigns/${campaign}`))
    await board(page)
    const asked = figure(page, 'Being labelled now')
    await asked.getByText('why').click()
    await asked.getByText('If the label is “positive”').waitFor()
    await server.admin.post(path('campaigns', campaign, 'labels'), { worker: 'cat', item, label: 'positive' })
    await asked.getByText('answered “positive”').waitFor()
    await page.mouse.move(5, 5)
    await answer(campaign, ['dan'], 2)
    await page.waitForTimeout(2500)
    expect(await asked.getByText('If the label is “positive”').isVisible()).toBe(true)
    expect(await barriers(page)).toEqual([])
    await asked.getByText('why').click()
    await page.getByRole('heading', { name: 'Accuracy as labels come in' }).click()
    await asked.getByText('answered “positive”').waitFor({ state: 'detached' })
    expect(faults).toEqual([])
    await context.close()
  })
})

describe('the keyboard', () => {
  it('stays on the button that pauses, and starts in the first field of a dialog', async () => {
    const campaign = await server.campaign({}, items(6))
    const { page, context } = await visit(browser, signedIn(`/campaigns/${campaign}`))
    await board(page)
    const focused = () => page.evaluate(() => document.activeElement?.textContent?.trim() ?? '')
    await page.getByRole('button', { name: 'Pause' }).press('Enter')
    await page.getByRole('button', { name: 'Resume', disabled: false }).waitFor()
    expect(await focused()).toBe('Resume')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Pause', disabled: false }).waitFor()
    expect(await focused()).toBe('Pause')
    await page.getByRole('button', { name: 'Budget', exact: true }).press('Enter')
    await page.getByLabel('New budget').waitFor()
    await page.keyboard.type('640')
    await page.keyboard.press('Enter')
    await figure(page, 'Budget').getByText('/ 640').waitFor()
    expect(await focused()).toBe('Budget')
    await page.getByRole('button', { name: 'Export' }).press('Enter')
    expect(await page.evaluate(() => (document.activeElement as HTMLInputElement).type)).toBe('radio')
    await context.close()
  })
})

describe('one item', () => {
  it('gets the requester’s answer, gives it back, and is settled only after a confirmation', async () => {
    const campaign = await server.campaign({}, [...items(4, false), { id: 'g', fields: { text: 'Known' }, gold: 'negative' }])
    await answer(campaign, ['ann'], 2)
    const { page, context, faults } = await visit(browser, signedIn(`/campaigns/${campaign}/items/r3`))
    await page.getByRole('button', { name: 'Give the answer yourself' }).click()
    await page.getByRole('button', { name: 'Save the answer' }).click()
    await page.getByRole('alert').getByText('Choose an answer.').waitFor()
    await page.getByRole('dialog').getByLabel('Answer').selectOption('positive')
    await page.getByLabel('Reason').fill('it is a joy')
    expect(await barriers(page)).toEqual([])
    await page.getByRole('button', { name: 'Save the answer' }).click()
    await page.getByText('“it is a joy”').first().waitFor()
    await page.getByRole('button', { name: 'Take the verdict back' }).click()
    await page.getByRole('button', { name: 'Stop asking about this item' }).click()
    await page.getByText('This cannot be undone').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Stop asking about this item' }).click()
    await page.getByRole('button', { name: 'Stop asking', exact: true }).click()
    await page.getByText('by hand').first().waitFor()
    // A known answer has no probabilities.
    await page.goto(`${server.address}/campaigns/${campaign}/items/g`)
    await figure(page, 'Answer').getByText('negative').first().waitFor()
    expect(await page.getByLabel('Probability of each answer').count()).toBe(0)
    expect(faults).toEqual([])
    await context.close()
  })
})

describe('a campaign with an equal-splitting twin', () => {
  it('shows both at equal cost, and both lines in one chart', async () => {
    const campaign = await server.campaign({ price: '0.05', budget: 63 }, items(12))
    const twin = await server.admin.post<{ id: string }>(path('campaigns', campaign, 'twin'), { policy: 'least-labelled' })
    const { page, context, faults } = await visit(browser, signedIn(`/campaigns/${campaign}`))
    const headline = page.getByRole('region', { name: 'Right answers for the same money' })
    await headline.getByText('have just started').waitFor()
    await answer(campaign, ['ann', 'bob'], 9)
    await answer(twin.id, ['ann', 'bob'], 8)
    await headline.getByText('Same items, same cost: 0.80 each, about 16 labels.').waitFor()
    await headline.getByText('Equal splitting').waitFor()
    await figure(page, 'Accuracy as labels come in').getByText('equal splitting, measured').first().waitFor()
    // Amounts that stand side by side have equally many decimals.
    await figure(page, 'Budget').getByText('/ 63.00').waitFor()
    expect(await page.getByText('Demo: simulated workers').count()).toBe(0)
    expect(await barriers(page)).toEqual([])
    await headline.getByRole('link', { name: 'Compare in detail' }).click()
    await page.getByRole('heading', { name: 'Side by side' }).waitFor()
    expect(faults).toEqual([])
    await context.close()
  })
})
