// The requester's pages in Chromium, against a real server.
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { path } from '../src/api/client.ts'
import { kKeyDelay } from '../src/label/press_guard.ts'
import { barriers, until, visit } from './harness.ts'
import { answer, board, browser, figure, items, server, signedIn, useServer } from './requester_harness.ts'

useServer()

describe('signing in', () => {
  it('accepts a token, keeps it over a reload, and forgets it on signing out', async () => {
    const { page, context, faults } = await visit(browser, server.address)
    expect(await barriers(page)).toEqual([])
    await page.getByLabel('Your token').fill('allot_wrong')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('alert').getByText('token').waitFor()
    await page.getByLabel('Your token').fill(server.admin.token)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Campaigns', exact: true }).waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'Campaigns', exact: true }).waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain(server.admin.token)
    expect(faults).toEqual([])
    await context.close()
  })

  it('accepts a token in the address and removes it there', async () => {
    const { page, context } = await visit(browser, signedIn('/'))
    await page.getByRole('heading', { name: 'Campaigns', exact: true }).waitFor()
    expect(page.url()).not.toContain('token')
    await context.close()
  })
})

describe('an unknown address', () => {
  it('shows a page with a link home, signed in or not', async () => {
    const { page, context, faults } = await visit(browser, `${server.address}/campaign/old`)
    await page.getByRole('heading', { name: 'Page not found' }).waitFor()
    expect(await page.title()).toContain('Page not found')
    expect(await barriers(page)).toEqual([])
    await page.getByRole('link', { name: 'Back to all campaigns' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    const answer = await page.goto(signedIn('/nowhere'))
    expect(answer?.status()).toBe(404)
    await page.getByRole('link', { name: 'Back to all campaigns' }).click()
    await page.getByRole('heading', { name: 'Campaigns', exact: true }).waitFor()
    expect(faults).toEqual([])
    await context.close()
  })
})

describe('an unknown campaign or item', () => {
  it('is named in the title and the heading', async () => {
    const campaign = await server.campaign({}, items(2))
    for (const [where, name] of [
      ['/campaigns/nope', 'Campaign not found'],
      [`/campaigns/${campaign}/items/nope`, 'Item not found'],
    ] as const) {
      const { page, context } = await visit(browser, signedIn(where))
      await page.getByRole('heading', { name }).waitFor()
      expect(await page.title()).toBe(`${name} · allot`)
      await context.close()
    }
  })
})

describe('the board', () => {
  it('updates as labels come in, without a reload', async () => {
    const campaign = await server.campaign({}, items(12))
    const { page, context, faults } = await visit(browser, signedIn(`/campaigns/${campaign}`))
    await board(page)
    await page.getByText('No item is being labelled right now').waitFor()
    await answer(campaign, ['ann', 'bob'], 8)
    await figure(page, 'Budget').getByText('16').first().waitFor()
    await page.getByRole('rowheader', { name: 'ann' }).waitFor()
    await server.admin.post(path('campaigns', campaign, 'assignments'), { worker: 'cat', count: 1 })
    await figure(page, 'Being labelled now').getByText('cat').waitFor()
    await figure(page, 'Right answers').getByText('measured on true answers').waitFor()
    await page.getByRole('heading', { name: 'Can you trust the probabilities?' }).waitFor()
    expect(await barriers(page)).toEqual([])
    expect(faults).toEqual([])
    await context.close()
  })

  it('recovers after the server was killed and started again', async () => {
    const campaign = await server.campaign({}, items(12))
    const { page, context } = await visit(browser, signedIn(`/campaigns/${campaign}`))
    await board(page)
    await page.getByText('● live').waitFor()
    await server.kill()
    await page.getByText('○ not connected').waitFor()
    await server.start()
    await answer(campaign, ['ann'], 5)
    await page.getByText('● live').waitFor({ timeout: 30_000 })
    await page.getByRole('rowheader', { name: 'ann' }).waitFor()
    await figure(page, 'Budget').getByText('5', { exact: true }).first().waitFor()
    await context.close()
  })

  it('pauses, resumes, changes the budget, sets a price, creates links and ends the campaign', async () => {
    const campaign = await server.campaign({}, items(6))
    await answer(campaign, ['ann'], 2)
    const { page, context } = await visit(browser, signedIn(`/campaigns/${campaign}`))
    await board(page)
    const read = () => server.admin.get<{ phase: string; budget: number; reason: string }>(path('campaigns', campaign))
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByRole('button', { name: 'Resume' }).waitFor()
    expect((await read()).phase).toBe('paused')
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.getByRole('button', { name: 'Pause' }).waitFor()
    const terms = { platform: 'panel', id_parameter: 'PID', labels: 3, codes: { done: 'C-DONE' } }
    await server.admin.post(path('campaigns', campaign, 'recruiting'), terms)
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByText('never wait').waitFor()
    expect((await read()).phase).toBe('running')
    await page.getByRole('button', { name: 'Pause campaign' }).click()
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.getByRole('button', { name: 'Pause', exact: true }).waitFor()

    await page.getByRole('button', { name: 'Budget', exact: true }).click()
    await page.getByLabel('New budget').fill('plenty')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('“plenty” is not an amount; expected plain digits').waitFor()
    await page.getByLabel('New budget').fill('1')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('At least 2: that much is already spent or reserved.').waitFor()
    expect(await barriers(page)).toEqual([])
    await page.getByLabel('New budget').fill('750')
    await page.keyboard.press('Enter')
    await figure(page, 'Budget').getByText('/ 750').waitFor()

    await page.getByRole('button', { name: /Change price: ann/ }).click()
    await page.getByLabel('Price per label').fill('2.5')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: /^2.5/ }).waitFor()

    await page.getByRole('button', { name: 'Worker links' }).click()
    await page.getByLabel('Worker names').fill('dan\neve')
    await page.getByRole('button', { name: 'Create links' }).click()
    await page.getByRole('button', { name: 'Copy: eve' }).waitFor()
    expect(await page.locator('dialog code').allTextContents()).toHaveLength(2)
    expect(await barriers(page)).toEqual([])
    await page.keyboard.press('Escape')

    await page.getByRole('button', { name: 'End campaign' }).click()
    await page.getByLabel('Reason').fill('enough')
    await page.getByRole('dialog').getByRole('button', { name: 'End campaign' }).click()
    await page.getByText('Ended: enough.').waitFor()
    expect(await read()).toMatchObject({ phase: 'closed', reason: 'enough', budget: 750 })
    await context.close()
  })

  it('opens the workers’ page for the requester in a new tab', async () => {
    const campaign = await server.campaign({}, items(6))
    const { page, context, faults } = await visit(browser, signedIn(`/campaigns/${campaign}`))
    await board(page)
    await page.getByText('Nobody is labelling right now, and 500 of the budget is left').waitFor()
    const label = async () => {
      const [seat] = await Promise.all([
        context.waitForEvent('page'),
        page.getByRole('button', { name: 'Label it yourself' }).click(),
      ])
      await seat.locator('[data-item]').waitFor()
      expect(new URL(seat.url()).pathname).toBe(`/label/${campaign}`)
      await seat.waitForTimeout(kKeyDelay + 20)
      await seat.keyboard.press('1')
      return seat
    }
    const first = await label()
    await page.getByRole('rowheader', { name: 'you' }).waitFor()
    await page.getByText('Nobody is labelling').waitFor({ state: 'detached' })
    const link = first.url()
    await first.close()
    // The second click opens the same link.
    expect((await label()).url()).toBe(link)
    await until(async () => (await server.labels(campaign)).length === 2, 'two labels')
    expect((await server.labels(campaign)).map(({ worker }) => worker)).toEqual(['you', 'you'])
    // Where the browser blocks the tab, the page shows the link.
    await page.evaluate(() => Object.assign(window, { open: () => null }))
    await page.getByRole('button', { name: 'Label it yourself' }).click()
    expect(await page.getByRole('link', { name: 'Open the workers’ page' }).getAttribute('href')).toBe(link)
    expect(await barriers(page)).toEqual([])
    expect(faults).toEqual([])
    await context.close()
  })

  it('exports what the API exports', async () => {
    const campaign = await server.campaign({}, items(6))
    await answer(campaign, ['ann'], 3)
    const { page, context } = await visit(browser, signedIn(`/campaigns/${campaign}`))
    await board(page)
    await page.getByRole('button', { name: 'Export' }).click()
    await page.getByLabel('Labels, as workers gave them').check()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download' }).click(),
    ])
    expect(download.suggestedFilename()).toBe('Reviews-labels.csv')
    const text = readFileSync((await download.path()) ?? '', 'utf8')
    expect(text).toBe(
      await server.admin.get<string>(path('campaigns', campaign, 'export', 'labels'), { query: { format: 'csv' } }),
    )
    await context.close()
  })

  it('says which items have no label yet, and that nothing is verified', async () => {
    const campaign = await server.campaign({}, items(6, false))
    const { page, context, faults } = await visit(browser, signedIn(`/campaigns/${campaign}`))
    await board(page)
    const accuracy = figure(page, 'Right answers')
    await accuracy.getByText('0 of 6 items answered, 6 have no label yet').waitFor()
    await accuracy.getByText('–', { exact: true }).waitFor()
    await answer(campaign, ['ann'], 2)
    await accuracy.getByText('2 of 6 items answered, 4 have no label yet').waitFor()
    await accuracy.getByText('estimated by the model, not verified').waitFor()
    await page.getByText('of 2 answers right: estimated by the model, not verified.').waitFor()
    const missing = page.getByRole('cell', { name: 'no label yet' })
    await until(async () => (await missing.count()) === 4, 'four items without an answer')
    await page.getByRole('row').filter({ has: missing }).first().getByRole('link').click()
    await figure(page, 'Answer').getByText('no label yet', { exact: true }).waitFor()
    expect(await barriers(page)).toEqual([])
    await page.goto(server.address)
    const entry = page.getByRole('listitem').filter({ has: page.locator(`a[href$="/campaigns/${campaign}"]`) })
    await entry.getByText('2 of 6', { exact: true }).waitFor()
    expect(faults).toEqual([])
    await context.close()
  })

  it('finds items, and shows the whole history of one', async () => {
    const campaign = await server.campaign({}, items(40))
    await answer(campaign, ['ann', 'bob'], 3)
    const { page, context, faults } = await visit(browser, signedIn(`/campaigns/${campaign}`))
    await board(page)
    const table = page.getByRole('table').filter({ has: page.getByRole('columnheader', { name: 'State' }) })
    await table.getByRole('row').nth(15).waitFor()
    expect(await table.getByRole('row').count()).toBe(16)
    await page.getByLabel('Search ids and texts').fill('number 17:')
    await until(async () => (await table.getByRole('row').count()) === 2, 'one item is left')
    await page.getByLabel('Search ids and texts').fill('')
    await page.getByLabel('Order').selectOption('most labels first')
    await until(
      async () => (await table.getByRole('row').nth(1).getByRole('cell').nth(2).textContent()) !== '0',
      'order',
    )
    await table.getByRole('link').first().click()
    await page.getByRole('heading', { name: 'History' }).waitFor()
    await page.getByRole('cell', { name: 'answered' }).first().waitFor()
    await page.getByRole('cell', { name: 'assigned' }).first().waitFor()
    expect(await barriers(page)).toEqual([])
    await page.goBack()
    await board(page)
    expect(faults).toEqual([])
    await context.close()
  })
})

describe('a phone', () => {
  const phone = { viewport: { width: 390, height: 780 }, hasTouch: true, isMobile: true }
  const width = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth)

  it('shows every page without sideways scrolling, and cells with the names of their columns', async () => {
    const campaign = await server.campaign({}, items(12))
    await answer(campaign, ['ann', 'bob'], 8)
    const { page, context, faults } = await visit(browser, signedIn(`/campaigns/${campaign}`), phone)
    await board(page)
    await page.getByRole('heading', { name: 'Can you trust the probabilities?' }).waitFor()
    for (const summary of await page.getByText('Show as table').all()) await summary.click()
    expect(await width(page)).toBe(390)
    const cell = page.locator('td[data-column="Confidence"]').first()
    expect(await cell.evaluate((element) => getComputedStyle(element, '::before').content)).toBe('"Confidence"')
    expect(await cell.evaluate((element) => element.getBoundingClientRect().right <= innerWidth)).toBe(true)
    expect(await barriers(page)).toEqual([])
    await page.locator('th a').first().click()
    await page.getByRole('heading', { name: 'History' }).waitFor()
    expect(await width(page)).toBe(390)
    expect(await barriers(page)).toEqual([])
    for (const where of ['/', '/new', '/nowhere', '/docs']) {
      await page.goto(server.address + where)
      await page.getByRole('heading').first().waitFor()
      expect([where, await width(page)]).toEqual([where, 390])
    }
    await page.goto(`${server.address}/new`)
    await page.getByRole('button', { name: 'Try an example file' }).click()
    await page.getByLabel('Use of column gold').selectOption('Ignore')
    expect(await width(page)).toBe(390)
    expect(await barriers(page)).toEqual([])
    expect(faults).toEqual([])
    await context.close()
  })
})

describe('a large campaign', () => {
  it('has a small board, however many events come', async () => {
    const campaign = await server.campaign({ budget: 1_000_000 }, [])
    const lines = Array.from({ length: 100_000 }, (_, n) => JSON.stringify({ id: `r${n}`, text: `Review ${n}` }))
    await server.admin.post(path('campaigns', campaign, 'items', 'upload'), undefined, {
      raw: lines.join('\n'),
      type: 'application/x-ndjson',
      timeout: 120_000,
    })
    const { page, context, faults } = await visit(browser, signedIn(`/campaigns/${campaign}`))
    await figure(page, 'Items').getByText('100,000').first().waitFor({ timeout: 60_000 })
    await board(page)
    const asked = new Map<string, number>()
    page.on('request', (request) => {
      const report = new URL(request.url()).pathname.split('/').at(-1) ?? ''
      asked.set(report, (asked.get(report) ?? 0) + 1)
    })
    await page.evaluate(() => {
      const frames = { gaps: [] as number[], tasks: [] as number[] }
      Object.assign(window, { frames })
      let last = performance.now()
      const beat = (now: number) => {
        frames.gaps.push(now - last)
        last = now
        requestAnimationFrame(beat)
      }
      requestAnimationFrame(beat)
      const note = (list: PerformanceObserverEntryList) =>
        frames.tasks.push(...list.getEntries().map(({ duration }) => duration))
      new PerformanceObserver(note).observe({ type: 'longtask' })
    })
    const start = Date.now()
    for (let n = 0; n < 10; ++n) {
      const worker = `w${n}`
      const { assignments } = await server.admin.post<{ assignments: { item: string }[] }>(
        path('campaigns', campaign, 'assignments'),
        { worker, count: 100 },
        { timeout: 60_000 },
      )
      const labels = assignments.map(({ item }, k) => ({ worker, item, label: k % 3 ? 'positive' : 'negative' }))
      await server.admin.post(path('campaigns', campaign, 'labels'), { labels }, { timeout: 60_000 })
    }
    await figure(page, 'Labels per minute').getByText('1,000 labels').waitFor({ timeout: 60_000 })
    const seconds = (Date.now() - start) / 1000
    for (const [report, times] of asked) {
      if (report !== 'live') expect([report, times <= seconds + 3]).toEqual([report, true])
    }
    expect(await page.evaluate(() => document.querySelectorAll('*').length)).toBeLessThan(3000)
    // Reports come at most once per second: wait for a few of them.
    await page.waitForTimeout(4000)
    const { gaps, tasks } = await page.evaluate(
      () => (window as unknown as { frames: { gaps: number[]; tasks: number[] } }).frames,
    )
    const slow = gaps.filter((gap) => gap > 50).length
    console.log(
      `board of 100,000 items, 1,000 labels in ${seconds.toFixed(1)} s: ${gaps.length} frames, ` +
        `${((100 * slow) / gaps.length).toFixed(1)} % over 50 ms, the longest ${Math.max(...gaps).toFixed(0)} ms; ` +
        `${tasks.length} tasks over 50 ms, the longest ${Math.max(0, ...tasks).toFixed(0)} ms`,
    )
    // The length of frames depends on the machine: the test only checks that they were measured.
    expect(gaps.length).toBeGreaterThan(1)
    expect(faults).toEqual([])
    await context.close()
  })
})

describe('comparing', () => {
  it('creates a twin with one click, and draws both as labels come in', async () => {
    const campaign = await server.campaign({}, items(12))
    await answer(campaign, ['ann', 'bob'], 8)
    const { page, context, faults } = await visit(browser, signedIn(`/campaigns/${campaign}`))
    await page.getByRole('button', { name: 'Compare with equal splitting' }).click()
    await page.getByRole('heading', { name: 'Side by side' }).waitFor()
    await page.getByText('Both have just started').waitFor()
    const twin = new URL(page.url()).pathname.split('/')[3] ?? ''
    await answer(twin, ['ann', 'bob'], 8)
    await page.getByText(/points ahead after 16 labels each|Both are level after 16 labels each/).waitFor()
    expect(await barriers(page)).toEqual([])
    expect(faults).toEqual([])
    await page.goto(server.address)
    await page.getByRole('link', { name: 'Compare' }).first().waitFor()
    expect(await barriers(page)).toEqual([])
    await context.close()
  })
})

describe('content of items', () => {
  it('runs nothing and breaks nothing', async () => {
    const nasty = '<img src=x onerror="document.title=1"><script>document.title=2</script>'
    const campaign = await server.campaign({ name: nasty, page: { question: nasty, fields: { text: 'html' } } }, [
      { id: nasty, fields: { text: nasty } },
    ])
    await server.admin.post(path('campaigns', campaign, 'assignments'), { worker: nasty, count: 1 })
    const { page, context } = await visit(browser, signedIn(`/campaigns/${campaign}`))
    await board(page)
    await page.getByRole('rowheader', { name: nasty }).first().waitFor()
    await page.getByRole('rowheader', { name: nasty }).getByRole('link').click()
    await page.getByRole('heading', { name: 'History' }).waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'History' }).waitFor()
    expect(['1', '2']).not.toContain(await page.title())
    await context.close()
  })
})
