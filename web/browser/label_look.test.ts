// How the worker's page looks and speaks, in Chromium against a real server.
import { describe, expect, it } from 'vitest'
import { kPointerDelay } from '../src/label/press_guard.ts'
import { answerLooks, barriers, smallTargets, texts } from './harness.ts'
import { changed, open, press, ready, recorded, says, shown, useWorkers, work } from './label_harness.ts'
import { server } from './requester_harness.ts'

useWorkers()

describe('the worker’s page', () => {
  it('works on a phone, light and dark, without accessibility problems', async () => {
    const campaign = await server.campaign({ classes: ['no', 'yes'] })
    for (const colorScheme of ['light', 'dark'] as const) {
      const { page, faults } = await work(campaign, colorScheme, {
        viewport: { width: 375, height: 667 },
        hasTouch: true,
        isMobile: true,
        colorScheme,
      })
      expect(await barriers(page)).toEqual([])
      expect(await smallTargets(page)).toEqual([])
      // A phone has no keys.
      await page.getByRole('button', { name: 'Help' }).tap()
      await page.getByRole('dialog').waitFor()
      expect(await page.getByText('Keyboard shortcuts').isVisible()).toBe(false)
      expect(await smallTargets(page)).toEqual([])
      await page.getByRole('button', { name: 'Back to work' }).tap()
      // The answers are large and in the lower half, and the page does not scroll sideways.
      const box = await page.getByRole('button', { name: 'yes' }).boundingBox()
      expect(box?.y).toBeGreaterThan(667 / 2)
      expect(box?.height).toBeGreaterThanOrEqual(60)
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(375)
      // After a tap no answer looks chosen on the next item, nor does another button.
      const looks = await answerLooks(page)
      expect([looks.length, new Set(looks).size]).toEqual([2, 1])
      for (const name of ['yes', 'Skip']) {
        const before = await shown(page)
        await page.waitForTimeout(kPointerDelay + 20)
        await page.getByRole('button', { name }).tap()
        await changed(page, before)
        await page.waitForTimeout(200)
        expect(await answerLooks(page)).toEqual(looks)
        expect(await page.locator('.answer:focus').count()).toBe(0)
      }
      const skip = page.getByRole('button', { name: 'Skip' })
      expect(await skip.evaluate((button) => getComputedStyle(button).backgroundColor)).toBe('rgba(0, 0, 0, 0)')
      expect(faults).toEqual([])
    }
    await recorded(campaign, 2)
  })

  it('shows with a mouse which answer a click would choose', async () => {
    const campaign = await server.campaign({ classes: ['no', 'yes'] })
    const { page } = await work(campaign, 'ann')
    await page.getByRole('button', { name: 'yes' }).hover()
    expect(new Set(await answerLooks(page)).size).toBe(2)
  })

  it('shows no answer as chosen on the next item while the mouse rests', async () => {
    const campaign = await server.campaign({ classes: ['no', 'yes'] })
    const { page } = await work(campaign, 'ann')
    const yes = page.getByRole('button', { name: 'yes' })
    for (let n = 0; n < 3; ++n) {
      await page.waitForTimeout(kPointerDelay + 50)
      const before = await page.locator('[data-item]').getAttribute('data-item')
      await yes.click()
      await changed(page, before)
      // The flash of the pressed button is over.
      await page.locator('.answer.pressed').waitFor({ state: 'detached' })
      expect(new Set(await answerLooks(page)).size).toBe(1)
    }
    await page.mouse.move(5, 5)
    await yes.hover()
    expect(new Set(await answerLooks(page)).size, 'a mouse that moves shows where it is').toBe(2)
  })

  it('keeps the item in sight in a low window, as with a zoom of 200 %', async () => {
    const campaign = await server.campaign({ classes: ['praise', 'complaint', 'question', 'refund', 'other'] })
    const { page } = await work(campaign, 'ann', { viewport: { width: 640, height: 400 } })
    const card = await page.locator('[data-item]').boundingBox()
    const answers = await page.getByRole('group', { name: 'Answers' }).boundingBox()
    expect((card?.y ?? NaN) + (card?.height ?? NaN)).toBeLessThanOrEqual(answers?.y ?? NaN)
    expect((card?.y ?? NaN) + (card?.height ?? NaN)).toBeLessThan(400)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(640)
    expect(await barriers(page)).toEqual([])
  })

  it('speaks German where the browser does, and English on request', async () => {
    const campaign = await server.campaign({ price: 0.05, budget: 10, classes: ['nein', 'ja'] })
    const { page, faults } = await work(campaign, 'ann', { locale: 'de-AT', viewport: { width: 360, height: 640 } })
    const lang = () => page.evaluate(() => document.documentElement.lang)
    expect(await lang()).toBe('de')
    await page.getByRole('heading', { name: 'Welche Antwort ist richtig?' }).waitFor()
    await says(page, 'bringt 0,05')
    expect(await barriers(page)).toEqual([])
    await press(page, 'j')
    await says(page, '1 Antwort')
    await says(page, '0,05 verdient')
    expect(await page.title()).toBe('Reviews: Antworten')
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360)
    await page.getByRole('button', { name: 'Hilfe' }).click()
    expect(await barriers(page)).toEqual([])
    await page.getByLabel('Sprache').selectOption('English')
    await page.getByRole('button', { name: 'Back to work' }).click()
    await says(page, '0.05 earned')
    expect(await lang()).toBe('en')
    await page.reload()
    await page.getByRole('button', { name: 'Skip' }).waitFor()
    expect([await lang(), faults]).toEqual(['en', []])
  })

  it('works with focus and Enter when single-key shortcuts are off', async () => {
    const campaign = await server.campaign()
    const { page } = await work(campaign, 'ann')
    await page.keyboard.press('?')
    await page.getByLabel('Use single-key shortcuts').uncheck()
    await page.keyboard.press('Escape')
    await ready(page)
    await page.keyboard.press('1')
    await page.waitForTimeout(200)
    expect(await server.labels(campaign)).toHaveLength(0)
    const before = await shown(page)
    await page.waitForTimeout(kPointerDelay)
    await page.getByRole('button', { name: 'positive' }).focus()
    await page.keyboard.press('Enter')
    await changed(page, before)
    await recorded(campaign, 1)
  })

  it('reports a link that does not work', async () => {
    const campaign = await server.campaign()
    const link = await server.link(campaign, 'ann')
    for (const [address, text] of [
      [link.replace(/#.*/, ''), 'Part of it is missing'],
      [link.slice(0, -4) + '0000', 'It was revoked'],
    ] as const) {
      const { page } = await open(address)
      await says(page, text)
      expect(await barriers(page)).toEqual([])
    }
  })

  it('shows the first item and the next ones quickly', async () => {
    const campaign = await server.campaign({ classes: ['no', 'yes'] }, texts(60))
    const link = await server.link(campaign, 'ann')
    const { page } = await open('about:blank')
    await page.addInitScript(() => {
      const seen = { first: 0, pressed: 0, times: [] as number[] }
      Object.assign(window, { seen })
      addEventListener('keydown', (event) => (seen.pressed = event.timeStamp), true)
      new MutationObserver(() => {
        if (!document.querySelector('[data-item]')) return
        // Measures until the frame with the item has been drawn.
        const from = seen.pressed
        requestAnimationFrame(() =>
          setTimeout(() => {
            if (!seen.first) seen.first = performance.now()
            else if (from && seen.pressed === from) {
              seen.times.push(performance.now() - from)
              seen.pressed = 0
            }
          }),
        )
      }).observe(document, { subtree: true, childList: true })
    })
    await page.goto(link)
    await page.locator('[data-item]').waitFor()
    for (let n = 0; n < 30; ++n) await press(page, n % 2 ? '1' : '2')
    await page.waitForTimeout(200)
    const seen = await page.evaluate(() => (window as unknown as { seen: { first: number; times: number[] } }).seen)
    const times = [...seen.times].sort((a, b) => a - b)
    expect(times.length).toBeGreaterThanOrEqual(25)
    const median = times[times.length >> 1] ?? NaN
    console.log(
      `first item after ${seen.first.toFixed(0)} ms; next item after a key: median ${median.toFixed(1)} ms, ` +
        `longest ${times.at(-1)?.toFixed(1)} ms`,
    )
    // The limits are generous: they only show that the page waits for nothing.
    expect(seen.first).toBeLessThan(10_000)
    expect(median).toBeLessThan(500)
  })
})
