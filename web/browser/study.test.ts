// Whole studies in Chromium against a real server: participants arrive from stand-ins of Prolific and MTurk, agree, qualify,
// label, and return with their codes.
import type { BrowserContext, BrowserContextOptions, Frame, Page } from 'playwright-core'
import { afterEach, describe, expect, it } from 'vitest'
import { path } from '../src/api/client.ts'
import type { RecruitingLink, SessionRow } from '../src/api/recruiting_types.ts'
import { kPointerDelay } from '../src/label/press_guard.ts'
import { barriers, until, watch } from './harness.ts'
import { browser, server, signedIn, useServer } from './requester_harness.ts'

useServer()
const opened: BrowserContext[] = []
afterEach(async () => {
  for (const context of opened.splice(0)) await context.close()
})

/** Items whose text says their answer; those with a known answer come last. */
const items = (count: number, known: number) =>
  Array.from({ length: count + known }, (_, n) => {
    const answer = n % 2 ? 'positive' : 'negative'
    const fields = { text: `Review ${n}: clearly ${answer}.` }
    return n < count ? { id: `r${n}`, fields } : { id: `g${n}`, fields, gold: answer }
  })

/** A browser of one person, with a stand-in of the platform: `returned` collects the addresses that it is sent to. */
async function person(host: string, options: BrowserContextOptions = {}) {
  const context = await browser.newContext(options)
  opened.push(context)
  const returned: string[] = []
  await context.route(`${host}/**`, async (route) => {
    returned.push(route.request().url() + (route.request().postData() ? ` ${route.request().postData()}` : ''))
    await route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>Platform</title><h1>Back at the platform</h1>' })
  })
  const page = await context.newPage()
  return { context, page, returned, faults: watch(page) }
}

const agree = (page: Page | Frame) => page.getByRole('button', { name: 'I agree. Start' }).click()
const shownItem = (page: Page | Frame) => page.locator('[data-item]').first()

/** Answers the shown item, rightly or not; the id of the item. */
async function answer(page: Page | Frame, isRight = true) {
  await shownItem(page).waitFor()
  await page.waitForTimeout(kPointerDelay + 50)
  const text = (await shownItem(page).textContent()) ?? ''
  const item = await shownItem(page).getAttribute('data-item')
  const isPositive = text.includes('clearly positive')
  await page.getByRole('button', { name: isPositive === isRight ? 'positive' : 'negative' }).click()
  return item
}

const gone = (page: Page | Frame, item: string | null) =>
  page.waitForFunction((old) => document.querySelector('[data-item]')?.getAttribute('data-item') !== old, item)

const sessions = async (campaign: string) =>
  (await server.admin.get<{ sessions: SessionRow[] }>(path('campaigns', campaign, 'sessions'))).sessions

describe('a study on Prolific', () => {
  it('takes three people from the link to the right code', async () => {
    // Money for 2 + 3 labels of the first person and 2 of the second.
    const campaign = await server.campaign({ budget: 7, gold_rate: 0, page: { question: 'Is it positive?', instructions: '**Read** it.', currency: 'EUR' } }, items(12, 6))

    // The requester creates the link in the page.
    const requester = await browser.newContext()
    opened.push(requester)
    const page = await requester.newPage()
    const faults = watch(page)
    await page.goto(signedIn(`/campaigns/${campaign}`))
    await page.getByRole('link', { name: 'Recruit' }).click()
    expect(await page.getByLabel('Questions per session').inputValue(), 'no more than there are items').toBe('12')
    expect(await page.getByLabel('Consent text').inputValue()).toContain('It takes about 2 minutes. You are paid €1.00 per answer.')
    await page.getByLabel('Questions per session').fill('3')
    await page.getByLabel('Consent text').fill('I take part *freely*.')
    await page.getByText('Qualification', { exact: true }).click()
    await page.getByLabel('Questions with a known answer').fill('2')
    await page.getByLabel('Percent that must be right').fill('100')
    await page.getByLabel('Show the right answer').check()
    await page.getByText('Use your own codes or return address').click()
    await page.getByLabel('All questions answered').fill('C-DONE')
    await page.getByLabel('Failed the qualification').fill('C-OUT')
    await page.getByLabel('No work left').fill('C-NONE')
    expect(await barriers(page)).toEqual([])
    await page.getByRole('button', { name: 'Create recruiting link' }).click()
    const study = (await page.getByTestId('study-url').textContent()) ?? ''
    expect(study).toContain('?PROLIFIC_PID={{%PROLIFIC_PID%}}&SESSION_ID={{%SESSION_ID%}}&STUDY_ID={{%STUDY_ID%}}')
    await page.getByText('Links work only on this computer').waitFor()
    await page.getByRole('button', { name: 'Copy: Failed the qualification' }).waitFor()

    // A preview shows what participants see, and records nothing.
    const events = async () => (await server.admin.get<{ events: number }>(path('campaigns', campaign))).events
    const before = await events()
    const [preview] = await Promise.all([
      requester.waitForEvent('page'),
      page.getByRole('link', { name: 'Preview as a participant' }).click(),
    ])
    await preview.getByText('Preview for the requester: nothing is recorded.').waitFor()
    await preview.getByText('You answer up to 3 questions.').waitFor()
    await agree(preview)
    for (const check of ['Check 1 of 2', 'Check 2 of 2']) {
      await preview.getByText(check).waitFor()
      await answer(preview)
      await preview.getByText('Right: ').waitFor()
      await preview.getByRole('button', { name: 'Continue' }).click()
    }
    for (const left of ['3 questions left', '2 questions left', '1 question left']) {
      await preview.getByText(left).waitFor()
      await answer(preview)
    }
    expect(await preview.getByTestId('code').textContent()).toBe('C-DONE')
    await preview.getByText('End of the preview. Nothing was recorded.').waitFor()
    await preview.getByText('Participants return to the platform after five seconds').waitFor()
    expect(await barriers(preview)).toEqual([])
    await preview.close()
    expect(await events()).toBe(before)
    const stranger = await person('https://app.prolific.com')
    await stranger.page.goto(`${study.split('?')[0]}?preview=1`)
    await agree(stranger.page)
    await stranger.page.getByText('Only the requester of the campaign can preview it.').waitFor()

    const urlFor = (id: string) =>
      study
        .replace('{{%PROLIFIC_PID%}}', id)
        .replace('{{%SESSION_ID%}}', `visit-${id}`)
        .replace('{{%STUDY_ID%}}', 'study1')

    // Ann qualifies, labels on two devices and returns automatically.
    const ann = await person('https://app.prolific.com')
    await ann.page.goto(urlFor('ann'))
    await ann.page.getByText('I take part').waitFor()
    await ann.page.getByText('Read').first().waitFor()
    expect(await barriers(ann.page)).toEqual([])
    expect(await sessions(campaign), 'nobody joins before they agree').toEqual([])
    await agree(ann.page)
    await ann.page.getByText('Check 1 of 2').waitFor()
    await answer(ann.page)
    await ann.page.getByText('Right: ').waitFor()
    expect(await barriers(ann.page)).toEqual([])
    await ann.page.getByRole('button', { name: 'Continue' }).click()
    await answer(ann.page)
    await ann.page.getByText('Right: ').waitFor()
    await ann.page.getByRole('button', { name: 'Continue' }).click()
    await ann.page.getByText('3 questions left').waitFor()
    const first = await answer(ann.page)
    await gone(ann.page, first)
    await ann.page.getByText('2 questions left').waitFor()
    await until(async () => (await sessions(campaign))[0]?.labels === 1, 'one label')
    await ann.page.reload()
    await ann.page.getByText('2 questions left').waitFor()
    const held = await shownItem(ann.page).getAttribute('data-item')
    const phone = await person('https://app.prolific.com', { viewport: { width: 360, height: 640 }, hasTouch: true, isMobile: true })
    await phone.page.goto(urlFor('ann'))
    await agree(phone.page)
    await phone.page.getByText('2 questions left').waitFor()
    expect(await shownItem(phone.page).getAttribute('data-item'), 'the same items on another device').toBe(held)
    const second = await answer(phone.page)
    await gone(phone.page, second)
    await answer(phone.page)
    await phone.page.getByTestId('code').waitFor()
    expect(await phone.page.getByTestId('code').textContent()).toBe('C-DONE')
    expect(await barriers(phone.page)).toEqual([])
    expect(await phone.page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360)
    await phone.page.getByText('Back at the platform').waitFor()
    expect(phone.returned).toContain('https://app.prolific.com/submissions/complete?cc=C-DONE')

    // Eve fails the qualification.
    const eve = await person('https://app.prolific.com')
    await eve.page.goto(urlFor('eve'))
    await agree(eve.page)
    await answer(eve.page, false)
    await eve.page.getByText('Not right. You answered').waitFor()
    await eve.page.getByRole('button', { name: 'Continue' }).click()
    await answer(eve.page)
    await eve.page.getByRole('button', { name: 'Continue' }).click()
    await eve.page.getByText('Thank you for trying').waitFor()
    expect(await eve.page.getByTestId('code').textContent()).toBe('C-OUT')
    await eve.page.getByRole('button', { name: 'Return now' }).click()
    await eve.page.getByText('Back at the platform').waitFor()
    expect(eve.returned).toContain('https://app.prolific.com/submissions/complete?cc=C-OUT')

    // Cat comes when the money is spent, and is still paid.
    const cat = await person('https://app.prolific.com')
    await cat.page.goto(urlFor('cat'))
    await agree(cat.page)
    await cat.page.getByText('There are no questions left for you. You are paid all the same').waitFor()
    expect(await cat.page.getByTestId('code').textContent()).toBe('C-NONE')
    await cat.page.getByRole('button', { name: 'Stay on this page' }).click()
    await cat.page.reload()
    expect(await cat.page.getByTestId('code').textContent(), 'a reload shows it again').toBe('C-NONE')
    await cat.page.getByText('Back at the platform').waitFor()
    expect(cat.returned).toContain('https://app.prolific.com/submissions/complete?cc=C-NONE')

    // The requester sees what came of it, and exports what is owed.
    const rows = Object.fromEntries((await sessions(campaign)).map((row) => [row.id, row]))
    expect(Object.keys(rows).sort()).toEqual(['ann', 'cat', 'eve'])
    expect(rows.ann).toMatchObject({ outcome: 'done', labels: 3, known: 2, known_right: 2, owed: 5, session: 'visit-ann', parameters: { STUDY_ID: 'study1' } })
    expect(rows.eve).toMatchObject({ outcome: 'screened-out', labels: 0, known_right: 1, owed: 2 })
    expect(rows.cat).toMatchObject({ outcome: 'no-work', labels: 0, owed: 0 })
    await page.getByRole('row', { name: /prolific:eve screened out/ }).waitFor()
    expect(await barriers(page)).toEqual([])
    const bonuses = await server.admin.get<string>(path('campaigns', campaign, 'export', 'bonuses'))
    expect(bonuses).toBe('ann,5.00\neve,2.00\n')
    expect([...faults, ...ann.faults, ...phone.faults, ...eve.faults, ...cat.faults]).toEqual([])
  })

  it('says what is wrong with an address', async () => {
    const campaign = await server.campaign()
    const link = await server.admin.post<RecruitingLink>(path('campaigns', campaign, 'recruiting'), { platform: 'prolific' })
    const lost = await person('https://app.prolific.com')
    await lost.page.goto(server.address + link.page)
    await lost.page.getByText('The address lacks your id (PROLIFIC_PID)').waitFor()
    await lost.page.goto(`${server.address}${link.page}?PROLIFIC_PID=a%2Fb`)
    await agree(lost.page)
    await lost.page.getByText('The id in the address is not valid').waitFor()
    await lost.page.goto(`${server.address}/join/${campaign}/nope?PROLIFIC_PID=ann`)
    await lost.page.getByText('The link is not complete').waitFor()
    expect(await barriers(lost.page)).toEqual([])
    await server.admin.patch(path('campaigns', campaign, 'recruiting', link.id), { open: false })
    await lost.page.goto(`${server.address}${link.page}?PROLIFIC_PID=ann`)
    await lost.page.getByRole('heading', { name: 'This study takes no more participants' }).waitFor()
    expect(await barriers(lost.page)).toEqual([])
    await lost.page.getByRole('button', { name: 'I have already started' }).click()
    await lost.page.getByText('takes no more participants, or the address was changed').waitFor()
    await lost.page.goto(`${server.address}${link.study_path}`)
    await lost.page.getByRole('heading', { name: 'This address is for the platform' }).waitFor()
    await lost.page.getByText('replaces {{%PROLIFIC_PID%}} with the id').waitFor()
    expect(await barriers(lost.page)).toEqual([])
    await lost.page.getByRole('button', { name: 'Preview as a participant' }).click()
    await lost.page.getByText('Preview for the requester').waitFor()
  })

  it('shows the last item in two tabs, and tells those who skip the rest the truth', async () => {
    const campaign = await server.campaign({}, items(3, 0))
    const link = await server.admin.post<RecruitingLink>(path('campaigns', campaign, 'recruiting'), {
      platform: 'prolific',
      labels: 3,
      codes: { done: 'C-DONE', incomplete: 'C-PART' },
    })
    const addressOf = (id: string) => `${server.address}${link.page}?PROLIFIC_PID=${id}&SESSION_ID=v-${id}`
    const ann = await person('https://app.prolific.com')
    await ann.page.goto(addressOf('ann'))
    await agree(ann.page)
    await gone(ann.page, await answer(ann.page))
    // Another device leases nothing new: it shows the items that the first one holds.
    const other = await person('https://app.prolific.com')
    await other.page.goto(addressOf('ann'))
    await agree(other.page)
    await gone(other.page, await answer(other.page))
    // The item that the other device answered does not count twice; the last one ends the session on both.
    await gone(ann.page, await answer(ann.page))
    await answer(ann.page)
    expect(await ann.page.getByTestId('code').textContent()).toBe('C-DONE')
    await answer(other.page)
    expect(await other.page.getByTestId('code').textContent()).toBe('C-DONE')
    expect(await sessions(campaign)).toMatchObject([{ labels: 3, outcome: 'done' }])

    const bob = await person('https://app.prolific.com')
    await bob.page.goto(addressOf('bob'))
    await agree(bob.page)
    await gone(bob.page, await answer(bob.page))
    for (let n = 0; n < 2; ++n) {
      const item = await shownItem(bob.page).getAttribute('data-item')
      await bob.page.waitForTimeout(kPointerDelay + 50)
      await bob.page.keyboard.press('s')
      await gone(bob.page, item)
    }
    await bob.page.getByText('You answered 1 of 3 questions and skipped the rest.').waitFor()
    expect(await bob.page.getByTestId('code').textContent()).toBe('C-PART')
    expect((await sessions(campaign))[0]).toMatchObject({ id: 'bob', outcome: 'incomplete', labels: 1, skipped: 2 })
  })
})

describe('a study on MTurk', () => {
  const kSandbox = 'https://workersandbox.mturk.com'

  it('previews, works in the frame of MTurk, and ends with its form', async () => {
    const campaign = await server.campaign({}, items(8, 0))
    const link = await server.admin.post<RecruitingLink>(path('campaigns', campaign, 'recruiting'), {
      platform: 'mturk',
      labels: 2,
      codes: { done: 'T-DONE' },
    })
    const turk = await browser.newContext()
    opened.push(turk)
    const submitted: string[] = []
    let assignment = 'ASSIGNMENT_ID_NOT_AVAILABLE'
    // MTurk shows the task in a frame and appends its parameters.
    await turk.route(`${kSandbox}/**`, async (route) => {
      const request = route.request()
      if (request.method() === 'POST') submitted.push(`${request.url()} ${request.postData()}`)
      const worker = assignment.startsWith('ASSIGNMENT_ID') ? '' : '&workerId=W1'
      const query = `assignmentId=${assignment}&hitId=H1${worker}&turkSubmitTo=${encodeURIComponent(kSandbox)}`
      const body =
        request.method() === 'POST'
          ? '<!doctype html><h1>Submitted</h1>'
          : `<!doctype html><title>Task</title><iframe title="task" width="900" height="700" src="${server.address}${link.page}?${query}"></iframe>`
      await route.fulfill({ contentType: 'text/html', body })
    })
    const page = await turk.newPage()
    const frameOf = async () => {
      await page.goto(`${kSandbox}/task`)
      const handle = await page.locator('iframe').elementHandle()
      const frame = await handle?.contentFrame()
      if (!frame) throw new Error('no frame')
      return frame
    }

    const preview = await frameOf()
    await preview.getByText('This is a preview').waitFor()
    await preview.getByText('Review 0: clearly negative').waitFor()
    expect(await sessions(campaign), 'a preview leases nothing').toEqual([])

    assignment = 'A1'
    const frame = await frameOf()
    await agree(frame)
    await frame.getByText('2 questions left').waitFor()
    await gone(frame, await answer(frame))
    await answer(frame)
    await frame.getByText('Thank you!').waitFor()
    await frame.getByRole('button', { name: 'Submit' }).click()
    await until(() => Promise.resolve(submitted.length > 0), 'the form')
    expect(submitted).toEqual([`${kSandbox}/mturk/externalSubmit assignmentId=A1&code=T-DONE&labels=2`])
    expect(await sessions(campaign)).toMatchObject([{ id: 'W1', session: 'A1', outcome: 'done', labels: 2 }])
  })

  it('lets nobody else frame a page', async () => {
    const campaign = await server.campaign({}, items(2, 0))
    const headersOf = async (platform: string) => {
      const link = await server.admin.post<RecruitingLink>(path('campaigns', campaign, 'recruiting'), { platform })
      return (await fetch(server.address + link.page)).headers
    }
    expect((await headersOf('prolific')).get('X-Frame-Options')).toBe('DENY')
    const turk = await headersOf('mturk')
    expect(turk.get('X-Frame-Options')).toBeNull()
    expect(turk.get('Content-Security-Policy')).toMatch(/frame-ancestors https:\/\/worker\.mturk\.com [^;]*mturk\.com$/)
  })
})

describe('long words', () => {
  it('widen no page of a phone', async () => {
    const word = 'Rindfleischetikettierungsaufgabenuebertragungsgesetz'.repeat(5)
    const page = { question: word, instructions: `# ${word}` }
    const long = Array.from({ length: 4 }, (_, n) => ({ id: `${word}${n}`, fields: { text: word + n } }))
    const campaign = await server.campaign({ name: word, classes: [word, 'no'], page }, long)
    const link = await server.admin.post<RecruitingLink>(path('campaigns', campaign, 'recruiting'), { platform: 'panel', consent: word })
    const phone = await person('https://panel.example', { viewport: { width: 360, height: 640 }, hasTouch: true, isMobile: true })
    const wide = () => phone.page.evaluate(() => document.documentElement.scrollWidth)
    await phone.page.goto(`${server.address}${link.page}?id=ann`)
    await phone.page.getByRole('button', { name: 'I agree. Start' }).waitFor()
    expect(await wide()).toBe(360)
    await agree(phone.page)
    await shownItem(phone.page).waitFor()
    expect(await wide()).toBe(360)
    for (const where of ['', '/recruiting', '/workers', '/settings']) {
      await phone.page.goto(signedIn(`/campaigns/${campaign}${where}`))
      await phone.page.getByRole('link', { name: `← ${where ? word : 'All campaigns'}` }).waitFor()
      await phone.page.getByRole('heading', { level: 2 }).first().waitFor()
      await until(async () => (await wide()) === 360, `${where} is as wide as the phone`)
    }
  })
})
