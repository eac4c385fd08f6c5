// The pages of workers and of settings in Chromium, and what a worker can tell.
import { describe, expect, it } from 'vitest'
import { path } from '../src/api/client.ts'
import { kPointerDelay } from '../src/label/press_guard.ts'
import { barriers, until, visit } from './harness.ts'
import { answer, browser, file, items, server, signedIn, useServer } from './requester_harness.ts'

useServer()

const phone = { viewport: { width: 360, height: 640 }, hasTouch: true, isMobile: true }

interface WorkerFigures {
  workers: { worker: string; standing: string; seconds: number | null }[]
}

describe('the page of workers', () => {
  it('excludes and restores a worker, and shows the effect', async () => {
    const campaign = await server.campaign({}, items(6))
    await answer(campaign, ['ann', 'bob'], 6)
    const { page, context, faults } = await visit(browser, signedIn(`/campaigns/${campaign}/workers`))
    await page.getByRole('button', { name: 'bob' }).click()
    await page.getByRole('heading', { name: 'About bob' }).waitFor()
    await page.getByRole('group', { name: 'What the worker answered' }).waitFor()
    expect(await barriers(page)).toEqual([])
    await page.getByRole('button', { name: 'Exclude' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('6 labels no longer count').waitFor()
    await dialog.getByLabel('Reason, for your records').fill('says anything')
    expect(await barriers(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Exclude' }).click()
    await page.getByText('bob is excluded.').waitFor()
    await page.getByText('Reason: says anything').waitFor()
    await page.getByRole('row', { name: 'bob' }).first().getByText('excluded').waitFor()
    const rows = await server.admin.get<WorkerFigures>(path('campaigns', campaign, 'workers'))
    expect(rows.workers.find(({ worker }) => worker === 'bob')?.standing).toBe('excluded')
    await page.getByRole('button', { name: 'Restore' }).click()
    await dialog.getByRole('button', { name: 'Restore' }).click()
    await page.getByText('bob is active again.').waitFor()
    expect(faults).toEqual([])
    await context.close()
  })

  it('puts workers into a group, and shows what the group is worth', async () => {
    const campaign = await server.campaign({}, items(6))
    await answer(campaign, ['ann', 'bob', 'cid'], 6)
    const { page, context, faults } = await visit(browser, signedIn(`/campaigns/${campaign}/workers`), phone)
    for (const worker of ['ann', 'bob']) {
      await page.getByRole('button', { name: worker }).first().click()
      await page.getByLabel('Group', { exact: true }).fill('desk')
      await page.getByRole('button', { name: 'Save group' }).click()
      await page.getByText(`${worker} belongs to the group desk.`).waitFor()
    }
    const card = page.getByRole('region', { name: 'Workers who err together' })
    await card.getByRole('row', { name: 'desk' }).getByText('6 of 6').waitFor()
    expect(await barriers(page)).toEqual([])
    await page.goto(`${server.address}/campaigns/${campaign}`)
    await card.getByRole('row', { name: 'desk' }).waitFor()
    expect(faults).toEqual([])
    await context.close()
  })

  it('revokes a link, and creates a new one', async () => {
    const campaign = await server.campaign({}, items(2))
    const { secret } = await server.admin.post<{ secret: string }>(path('campaigns', campaign, 'links'), { worker: 'ann' })
    const { page, context } = await visit(browser, signedIn(`/campaigns/${campaign}/workers`), phone)
    await page.getByRole('button', { name: 'New link for ann' }).click()
    await page.getByText('/label/').first().waitFor()
    const revoke = page.getByRole('button', { name: 'Revoke the link of ann' })
    await until(async () => (await revoke.count()) === 2, 'a second link')
    expect(await barriers(page)).toEqual([])
    await revoke.first().click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await until(async () => (await revoke.count()) === 1, 'one link less')
    await revoke.first().click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await until(async () => (await revoke.count()) === 0, 'no link')
    const answered = await fetch(`${server.address}/api/v1/me`, { headers: { Authorization: `Bearer ${secret}` } })
    expect(answered.status).toBe(401)
    await context.close()
  })
})

describe('the settings', () => {
  it('add items from a file, archive the campaign, and delete it once its name is written', async () => {
    const campaign = await server.campaign({ name: 'Old reviews' }, items(2))
    const link = await server.link(campaign, 'ann')
    const { page, context, faults } = await visit(browser, signedIn(`/campaigns/${campaign}/settings`))
    await page.getByText('Items of this campaign have: text').waitFor()
    await page.getByLabel('File of items').setInputFiles(file('more.csv', 'id,text,note\nn1,New one,x\n,No id,y\nn2,New two,z\n'))
    await page.getByText('2 new items in this file.').waitFor()
    await page.getByText('Line 3: the id is empty').waitFor()
    await page.getByRole('button', { name: 'Add 2 items' }).click()
    await page.getByText('2 items were added.').waitFor()
    expect((await server.admin.get<{ items: number }>(path('campaigns', campaign))).items).toBe(4)

    await page.getByRole('button', { name: 'Archive', exact: true }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Workers get no more items.').waitFor()
    await dialog.getByRole('button', { name: 'Archive' }).click()
    await page.getByText('This campaign is in the archive.').waitFor()
    await page.goto(signedIn('/'))
    await page.getByRole('link', { name: /^Archive \(/ }).click()
    await page.getByRole('link', { name: 'Old reviews' }).click()
    await page.getByRole('button', { name: 'Take out of the archive' }).click()
    await page.getByRole('button', { name: 'Pause' }).waitFor()

    await page.getByRole('link', { name: 'Settings' }).click()
    await page.getByRole('button', { name: 'Archive', exact: true }).click()
    await dialog.getByRole('button', { name: 'Archive' }).click()
    await page.getByRole('button', { name: 'Delete for good …' }).click()
    expect(await barriers(page)).toEqual([])
    await dialog.getByLabel('Write “Old reviews” to confirm').fill('Reviews')
    await dialog.getByRole('button', { name: 'Delete for good' }).click()
    await dialog.getByText('That is not the name of the campaign.').waitFor()
    await dialog.getByLabel('Write “Old reviews” to confirm').fill('Old reviews')
    await dialog.getByRole('button', { name: 'Delete for good' }).click()
    await page.getByRole('heading', { name: 'Campaigns', exact: true }).waitFor()
    expect(await page.getByText('Old reviews').count()).toBe(0)
    await page.goto(link)
    await page.getByRole('heading', { name: 'This link does not work' }).waitFor()
    expect(faults).toEqual([])
    await context.close()
  })

  it('change a running campaign and what its workers see', async () => {
    const campaign = await server.campaign({}, items(4))
    const { page, context, faults } = await visit(browser, signedIn(`/campaigns/${campaign}/settings`))
    await page.getByLabel('Question').fill('How does it sound?')
    await page.getByLabel('Shown name of positive').fill('Happy')
    await page.getByLabel('Example for positive').fill('What a day!')
    await page.getByRole('button', { name: 'Move positive up' }).click()
    await page.getByLabel('Currency').fill('eur')
    await page.getByLabel('Time to answer one item').fill('90s')
    await page.getByLabel('Share of items with a known answer, in percent').fill('200')
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByText('Write a number from 0 to 100.').waitFor()
    await page.getByLabel('Share of items with a known answer, in percent').fill('0')
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByText('Saved.').waitFor()
    expect(await barriers(page)).toEqual([])
    expect(faults).toEqual([])
    await context.close()
    const { link } = await server.admin.post<{ link: string }>(path('campaigns', campaign, 'links'), { worker: 'ann' })
    const worker = await visit(browser, server.address + link)
    await worker.page.getByRole('heading', { name: 'How does it sound?' }).waitFor()
    const answers = worker.page.getByRole('group', { name: 'Answers' }).getByRole('button')
    expect((await answers.allInnerTexts()).map((text) => text.split('\n')[0])).toEqual(['Happy', 'negative'])
    await worker.page.keyboard.press('?')
    await worker.page.getByText('What a day!').waitFor()
    await worker.context.close()
  })
})

describe('a worker', () => {
  it('says why an item cannot be answered, and how long answers took', async () => {
    const campaign = await server.campaign({}, items(4))
    const { link } = await server.admin.post<{ link: string }>(path('campaigns', campaign, 'links'), { worker: 'eve' })
    const { page, context, faults } = await visit(browser, server.address + link, phone)
    await page.getByRole('button', { name: 'No answer fits?' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Several answers fit').click()
    await dialog.getByLabel('Note, optional').fill('both')
    expect(await barriers(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Send and skip' }).click()
    const exported = () =>
      fetch(`${server.address}/api/v1/campaigns/${campaign}/export/skips`, {
        headers: { Authorization: `Bearer ${server.admin.token}` },
      }).then((response) => response.text())
    await until(async () => (await exported()).includes('several,both,'), 'the skip')
    await page.waitForTimeout(kPointerDelay + 20)
    await page.getByRole('button', { name: 'positive' }).click()
    await until(async () => {
      const rows = await server.admin.get<WorkerFigures>(path('campaigns', campaign, 'workers'))
      return (rows.workers[0]?.seconds ?? 0) > 0
    }, 'the time of a label')
    expect(faults).toEqual([])
    await context.close()
  })
})
