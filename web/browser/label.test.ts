// The work of a worker in Chromium, against a real server.
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { path } from '../src/api/client.ts'
import { kPointerDelay } from '../src/label/press_guard.ts'
import { barriers, texts, until, watch } from './harness.ts'
import { changed, fetched, open, press, ready, recorded, says, shown, useWorkers, work } from './label_harness.ts'
import { server } from './requester_harness.ts'

useWorkers()

describe('the worker’s page', () => {
  it('labels twenty items by keyboard, and all are in the export', async () => {
    const campaign = await server.campaign({ classes: ['negative', 'positive', 'neither'] })
    const { page, faults } = await work(campaign, 'ann')
    // "negative" has n, so "neither" cannot; there is no audio that p could play.
    const keys = ['1', 'p', '3', 'n']
    const labels = ['negative', 'positive', 'neither', 'negative']
    const given: { item: string | null; label: string }[] = []
    for (let n = 0; n < 20; ++n) {
      given.push({ item: await press(page, keys[n % 4] ?? ''), label: labels[n % 4] ?? '' })
    }
    await recorded(campaign, 20)
    const exported = await server.labels(campaign)
    expect(exported.map(({ item, label }) => ({ item, label }))).toEqual(given)
    expect(new Set(exported.map(({ worker }) => worker))).toEqual(new Set(['ann']))
    await says(page, '20 answers')
    expect(faults).toEqual([])
  })

  it('undoes and skips', async () => {
    const campaign = await server.campaign()
    const { page } = await work(campaign, 'ann')
    const first = await press(page, '1')
    await recorded(campaign, 1)
    await page.keyboard.press('u')
    await says(page, 'You answered “negative”.')
    expect(await shown(page)).toBe(first)
    await ready(page)
    await page.keyboard.press('2')
    await changed(page, first)
    await until(async () => (await server.labels(campaign))[0]?.label === 'positive', 'the change')
    const skipped = await press(page, 's')
    const second = await press(page, '1')
    await recorded(campaign, 2)
    const labels = await server.labels(campaign)
    expect(labels.map(({ item }) => item)).toEqual([first, second])
    expect(labels.map(({ item }) => item)).not.toContain(skipped)
    // The worker undoes, then keeps the answer.
    await page.keyboard.press('u')
    await says(page, 'Choose again')
    await page.keyboard.press('Escape')
    await changed(page, second)
    expect(await server.labels(campaign)).toEqual(labels)
  })

  it('undoes after a reload', async () => {
    const campaign = await server.campaign()
    const { page } = await work(campaign, 'ann')
    const first = await press(page, '1')
    await recorded(campaign, 1)
    await page.reload()
    await page.locator('[data-item]').waitFor()
    await page.keyboard.press('u')
    await says(page, 'You answered “negative”.')
    expect(await shown(page)).toBe(first)
    await ready(page)
    await page.keyboard.press('2')
    await changed(page, first)
    await until(async () => (await server.labels(campaign))[0]?.label === 'positive', 'the change')
    expect(await server.labels(campaign)).toHaveLength(1)
  })

  it('answers once on a double click and on a held key', async () => {
    const campaign = await server.campaign()
    const { page } = await work(campaign, 'ann')
    await page.waitForTimeout(kPointerDelay + 20)
    const first = await shown(page)
    await page.getByRole('button', { name: 'positive' }).dblclick()
    await changed(page, first)
    const second = await shown(page)
    await ready(page)
    await page.keyboard.down('1')
    for (let n = 0; n < 10; ++n) await page.keyboard.down('1')
    await page.keyboard.up('1')
    await changed(page, second)
    await page.waitForTimeout(300)
    await recorded(campaign, 2)
    expect((await server.labels(campaign)).map(({ label }) => label)).toEqual(['positive', 'negative'])
  })

  it('works without a network and sends every answer once when it is back', async () => {
    const campaign = await server.campaign()
    const { page, context } = await work(campaign, 'ann')
    await press(page, '1')
    await recorded(campaign, 1)
    await fetched(page)
    await context.setOffline(true)
    const away = [await press(page, '2'), await press(page, '1')]
    await says(page, '2 answers are saved on this device')
    away.push(await shown(page))
    await ready(page)
    await page.keyboard.press('2')
    await says(page, 'You have answered every item on this device.')
    expect(await barriers(page)).toEqual([])
    expect(await server.labels(campaign)).toHaveLength(1)
    await context.setOffline(false)
    await recorded(campaign, 4)
    await page.getByText('saved on this device').waitFor({ state: 'detached' })
    expect((await server.labels(campaign)).slice(1).map(({ item }) => item)).toEqual(away)
    await press(page, '1')
    await recorded(campaign, 5)
  })

  it('keeps answers over a reload and a restart of the server', async () => {
    const campaign = await server.campaign()
    const { page } = await work(campaign, 'ann')
    await press(page, '1')
    await recorded(campaign, 1)
    await fetched(page)
    await server.kill()
    const away = [await press(page, '2'), await press(page, '2')]
    await says(page, '2 answers are saved on this device')
    const link = page.url()
    await page.goto('about:blank')
    await server.start()
    await page.goto(link)
    await page.locator('[data-item]').waitFor()
    await recorded(campaign, 3)
    expect((await server.labels(campaign)).slice(1).map(({ item }) => item)).toEqual(away)
    await says(page, '3 answers')
    expect(await page.evaluate(() => Object.keys(localStorage).filter((name) => name.startsWith('allot.out')))).toEqual([])
  })

  it('sends an answer again when its reply was lost, and it counts once', async () => {
    const campaign = await server.campaign()
    const { page } = await work(campaign, 'ann')
    await fetched(page)
    let lost = 0
    await page.route('**/labels', async (route) => {
      if (++lost > 2) return route.continue()
      await route.fetch()
      await route.abort()
    })
    await press(page, '1')
    await until(() => lost > 2, 'the third attempt')
    await press(page, '2')
    await recorded(campaign, 2)
    const status = await server.admin.get<{ labels: number }>(path('campaigns', campaign, 'status'))
    expect(status.labels).toBe(2)
    await says(page, '2 answers')
  })

  it('lets two workers label at once', async () => {
    const campaign = await server.campaign({ labels_per_item: 2 }, texts(12))
    const [ann, bob] = await Promise.all([work(campaign, 'ann'), work(campaign, 'bob')])
    const label = async (page: Page) => {
      for (let n = 0; n < 8; ++n) await press(page, n % 2 ? '1' : '2')
    }
    await Promise.all([label(ann.page), label(bob.page)])
    await recorded(campaign, 16)
    const labels = await server.labels(campaign)
    for (const worker of ['ann', 'bob']) {
      const theirs = labels.filter((label) => label.worker === worker).map(({ item }) => item)
      expect(theirs).toHaveLength(8)
      expect(new Set(theirs).size).toBe(8)
    }
    expect([ann.faults, bob.faults]).toEqual([[], []])
  })

  it('answers no item twice in two tabs', async () => {
    const campaign = await server.campaign()
    const { page, context } = await work(campaign, 'ann')
    const other = await context.newPage()
    const faults = watch(other)
    await other.goto(page.url())
    await other.locator('[data-item]').waitFor()
    // Both tabs hold the same items; an answer in one removes the item from the other.
    const theirs = await shown(other)
    const given: (string | null)[] = []
    do given.push(await press(page, '1'))
    while (given.at(-1) !== theirs)
    await changed(other, theirs)
    await says(other, 'in another tab')
    for (let n = 0; n < 3; ++n) given.push(await press(other, '2'), await press(page, '1'))
    await recorded(campaign, given.length)
    expect(new Set(given).size).toBe(given.length)
    expect((await server.labels(campaign)).map(({ item }) => item).sort()).toEqual([...given].sort())
    expect(faults).toEqual([])
  })

  it('shows another item when the lease is over', async () => {
    const campaign = await server.campaign({ lease: '3s' })
    const { page } = await work(campaign, 'ann')
    await says(page, 'left for this item')
    await says(page, 'You ran out of time for that item')
    await page.locator('[data-item]').waitFor()
    await ready(page)
    await page.keyboard.press('1')
    await recorded(campaign, 1)
  })

  it('thanks the worker at the end, and continues when there is more', async () => {
    const campaign = await server.campaign({ price: 0.05, budget: 10 }, texts(2))
    const { page } = await work(campaign, 'ann')
    await press(page, '1')
    await ready(page)
    await page.keyboard.press('1')
    await says(page, 'Thank you!')
    await says(page, 'You gave 2 answers and earned 0.10.')
    await says(page, 'checks again automatically')
    expect(await barriers(page)).toEqual([])
    await server.admin.post(path('campaigns', campaign, 'items'), { items: [{ id: 'more', fields: { text: 'More' } }] })
    await page.locator('[data-item=more]').waitFor()
    await server.admin.post(path('campaigns', campaign, 'close'), { reason: 'enough' })
    await ready(page)
    await page.keyboard.press('1')
    await says(page, 'The campaign has ended')
    await says(page, 'An answer did not count: the campaign ended before it arrived.')
  })

  it('says at once that the campaign has ended', async () => {
    const campaign = await server.campaign({ page: { instructions: 'Read closely.' } })
    await server.admin.post(path('campaigns', campaign, 'close'), { reason: 'enough' })
    const { page } = await open(await server.link(campaign, 'ann'))
    await says(page, 'The campaign has ended. You can close this page.')
    expect(await page.getByRole('button', { name: 'Start' }).count()).toBe(0)
  })

  it('waits while the campaign is paused, and continues when it resumes', async () => {
    const campaign = await server.campaign()
    await server.admin.post(path('campaigns', campaign, 'pause'))
    const { page } = await open(await server.link(campaign, 'ann'))
    await page.getByRole('heading', { name: 'Paused' }).waitFor()
    await says(page, 'This page continues when it resumes.')
    await server.admin.post(path('campaigns', campaign, 'resume'))
    await page.locator('[data-item]').waitFor()
  })

  it('shows instructions before the first item, and again when asked', async () => {
    const page_ = { question: 'Is it spam?', instructions: 'Read **closely**. <img src=x onerror="window.hit=1">' }
    const campaign = await server.campaign({ page: page_ })
    const { page, faults } = await open(await server.link(campaign, 'ann'))
    await page.getByRole('button', { name: 'Start' }).waitFor()
    await page.locator('strong', { hasText: 'closely' }).waitFor()
    expect(faults).toEqual([])
    expect(await barriers(page)).toEqual([])
    // A key does not answer behind the instructions.
    await page.keyboard.press('1')
    await page.getByRole('button', { name: 'Start' }).click()
    await page.getByRole('heading', { name: 'Is it spam?' }).waitFor()
    await page.keyboard.press('?')
    const dialog = page.getByRole('dialog', { name: 'Instructions' })
    await dialog.locator('strong', { hasText: 'closely' }).waitFor()
    expect(await barriers(page)).toEqual([])
    await page.keyboard.press('1')
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await press(page, '1')
    await recorded(campaign, 1)
    await page.reload()
    await page.locator('[data-item]').waitFor()
    expect(await page.evaluate(() => 'hit' in window)).toBe(false)
  })

  it('shows text as text, and runs nothing in an item', async () => {
    const hostile = '<img src=x onerror="window.hit=1"><script>window.hit=1</script>'
    const item = {
      id: 'x',
      fields: {
        text: hostile,
        note: `${hostile}<b>bold</b><a href="javascript:window.hit=1" id="app" class="card">link</a><form><input></form>`,
        photo: 'javascript:window.hit=1',
        secret: 'not for you',
      },
    }
    const campaign = await server.campaign(
      { page: { fields: { note: 'html', photo: 'image', secret: 'hidden' } } },
      [item],
    )
    const { page, faults } = await work(campaign, 'ann')
    await says(page, hostile)
    await page.locator('b', { hasText: 'bold' }).waitFor()
    await page.getByText('link', { exact: true }).click()
    expect(await page.getByText('not for you').count()).toBe(0)
    expect(await page.locator('form, [data-item] input, [data-item] script, [data-item] [class=card]').count()).toBe(0)
    expect(await page.evaluate(() => 'hit' in window)).toBe(false)
    expect(faults).toEqual([])
  })

  it('shows pictures and plays audio', async () => {
    const picture = 'data:image/svg+xml,%3Csvg xmlns="http://www.w3.org/2000/svg" width="40" height="30"/%3E'
    const sound = `data:audio/wav;base64,${silence().toString('base64')}`
    const campaign = await server.campaign(
      { page: { fields: { photo: 'image', song: 'audio' } } },
      [{ id: 'x', fields: { photo: picture, song: sound } }],
    )
    const { page, faults } = await work(campaign, 'ann')
    const image = page.getByRole('img', { name: 'Picture: photo' })
    await until(() => image.evaluate((element) => (element as HTMLImageElement).naturalWidth === 40), 'the picture')
    await page.keyboard.press('p')
    const audio = page.getByLabel('Audio: song')
    await until(() => audio.evaluate((element) => (element as HTMLAudioElement).currentTime > 0), 'the audio')
    expect(await barriers(page)).toEqual([])
    expect(faults).toEqual([])
  })
})

/** One second of silence as WAV. */
function silence(): Buffer {
  const rate = 8000
  const head = Buffer.alloc(44)
  head.write('RIFF', 0)
  head.writeUInt32LE(36 + rate, 4)
  head.write('WAVEfmt ', 8)
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(rate, 24)
  head.writeUInt32LE(rate, 28)
  head.writeUInt16LE(1, 32)
  head.writeUInt16LE(8, 34)
  head.write('data', 36)
  head.writeUInt32LE(rate, 40)
  return Buffer.concat([head, Buffer.alloc(rate, 128)])
}
