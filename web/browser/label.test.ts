// The worker's page in Chromium, against a real server.
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { browse, Server, until, visit } from './harness.ts'

let server: Server
let browser: Browser
beforeAll(async () => {
  ;[server, browser] = await Promise.all([new Server().start(), browse()])
})
afterAll(async () => {
  await browser.close()
  await server.stop()
})

const shown = (page: Page) => page.locator('[data-item]').getAttribute('data-item')
const answered = (page: Page) => page.getByTestId('answered').textContent()

/** Presses a key and waits until another item is shown. */
async function press(page: Page, key: string) {
  const before = await shown(page)
  await page.waitForTimeout(110)
  await page.keyboard.press(key)
  await page.waitForFunction(
    (old) => document.querySelector('[data-item]')?.getAttribute('data-item') !== old,
    before,
  )
  return before
}

describe('the worker’s page', () => {
  it('labels twenty items by keyboard, all of them in the export', async () => {
    const campaign = await server.campaign({ classes: ['negative', 'positive', 'neither'] })
    const { page, faults, context } = await visit(browser, await server.link(campaign, 'ann'))
    await page.getByRole('heading', { name: 'Which is it?' }).waitFor()
    // "neither" cannot have n, which is that of "negative"; p plays sounds and s skips.
    const keys = ['1', 'o', '3', 'n']
    const meaning = ['negative', 'positive', 'neither', 'negative']
    const given: { item: string | null; label: string }[] = []
    for (let n = 0; n < 20; ++n) {
      given.push({ item: await press(page, keys[n % 4] ?? ''), label: meaning[n % 4] ?? '' })
    }
    await until(async () => (await server.labels(campaign)).length === 20, 'twenty labels')
    const labels = await server.labels(campaign)
    expect(labels.map(({ item, label }) => ({ item, label }))).toEqual(given)
    expect(new Set(labels.map((one) => one.worker))).toEqual(new Set(['ann']))
    expect(await answered(page)).toBe('20 answers')
    expect(faults).toEqual([])
    await context.close()
  })
})
