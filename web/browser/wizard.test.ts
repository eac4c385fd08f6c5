// The wizard in Chromium, against a real server.
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { path } from '../src/api/client.ts'
import { barriers, visit } from './harness.ts'
import { board, browser, file, server, signedIn, useServer } from './requester_harness.ts'

useServer()

describe('the wizard', () => {
  it('names bad rows of a CSV by line and reason, and creates the campaign without them', async () => {
    const { page, context, faults } = await visit(browser, signedIn('/new'))
    const rows = ['id,text,gold', 'a,"Works, and well",', 'b,Broke,no', 'a,Twice,', 'c,Fine,', 'd', 'e,<b>Loud</b>,yes']
    await page.locator('input[type=file]').setInputFiles(file('reviews_2026.csv', rows.join('\n')))
    await page.getByText('2 rows cannot be used').waitFor()
    await page.getByText('line 4: id “a” is already used on line 2').waitFor()
    await page.getByText('line 6: the row has 1 value; expected 3').waitFor()
    await page.getByText('4 items can be used').waitFor()
    expect(await barriers(page)).toEqual([])
    const go = page.getByRole('button', { name: 'Continue' })
    expect(await go.isDisabled()).toBe(true)
    await page.getByLabel('Skip these 2 rows and continue').check()
    await go.click()

    expect(await page.getByLabel('Campaign name').inputValue(), 'the name of a file is not for workers').toBe('')
    await page.getByLabel('Campaign name').fill('Reviews of 2026')
    await page.getByLabel('Question (optional)').fill('Is the review positive?')
    await page.getByLabel('Instructions').fill('# Read it\n\nAnswer **honestly**.')
    // What workers see stands beside the form.
    const view = page.getByRole('region', { name: 'What workers see' })
    await view.getByText('Read it').waitFor()
    await view.getByText('Is the review positive?').waitFor()
    await view.getByText('Works, and well').waitFor()
    expect(await page.getByLabel('Answer 2').inputValue()).toBe('yes')
    expect(await barriers(page)).toEqual([])
    await go.click()

    await page.getByLabel('Labels to buy').fill('10')
    await page.getByLabel('Pay per label').fill('0.05')
    await page.getByText('right answers with 10 labels').waitFor()
    expect(await barriers(page)).toEqual([])
    await page.getByLabel('in money').check()
    expect(await page.getByLabel('Money to spend').inputValue()).toBe('0.5')
    await page.getByLabel('Pay per label').fill('0,10')
    expect(await page.getByLabel('Money to spend').inputValue(), 'for as many labels').toBe('1')
    await page.getByLabel('Pay per label').fill('0.05')
    await go.click()

    await page.getByLabel('Worker names').fill('ann\nbob\n')
    await page.getByRole('button', { name: 'Create campaign' }).click()
    await page.getByRole('heading', { name: 'Send each worker their link' }).waitFor()
    expect(await barriers(page)).toEqual([])
    expect(await page.title()).toContain('Reviews of 2026 is running')
    expect(new URL(page.url()).pathname, 'a reload leads to the campaign').toMatch(/^\/campaigns\//)
    await page.getByText('Links work only on this computer').waitFor()
    const links = await page.locator('td code').allTextContents()
    expect(links.map((link) => new URL(link).pathname.startsWith('/label/'))).toEqual([true, true])
    const worker = await visit(browser, links[0] ?? '')
    await worker.page.getByRole('heading', { name: 'Is the review positive?' }).waitFor()
    await worker.context.close()

    await page.getByRole('link', { name: 'Open the board' }).click()
    await board(page)
    const id = new URL(page.url()).pathname.split('/')[2] ?? ''
    const campaign = await server.admin.get<{ items: number; gold: number; budget: number }>(path('campaigns', id))
    expect(campaign).toMatchObject({ items: 4, gold: 2, budget: 0.5, name: 'Reviews of 2026' })
    expect(faults).toEqual([])
    await context.close()
  })

  it('keeps the draft over a reload and the Back button, until the campaign is created', async () => {
    const { page, context, faults } = await visit(browser, signedIn('/'))
    await page.getByRole('link', { name: 'New campaign' }).first().click()
    await page.locator('input[type=file]').setInputFiles(file('mine.csv', 'id,text\na,Good\nb,Bad\n'))
    const go = page.getByRole('button', { name: 'Continue' })
    await go.click()
    await page.getByLabel('Question (optional)').fill('Is it kept?')
    await page.reload()
    await page.getByText('Your unfinished draft is back').waitFor()
    expect(await page.getByLabel('Question (optional)').inputValue()).toBe('Is it kept?')
    expect(await barriers(page)).toEqual([])
    await page.goBack()
    await page.getByText('2 items can be used').waitFor()
    await page.goBack()
    await page.getByRole('heading', { name: 'Campaigns', exact: true }).waitFor()
    await page.goForward()
    await go.click()
    expect(await page.getByLabel('Question (optional)').inputValue()).toBe('Is it kept?')
    await page.getByLabel('Campaign name').fill('Kept')
    await page.getByLabel('Answer 1').fill('no')
    await page.getByLabel('Answer 2').fill('yes')
    await go.click()
    await go.click()
    await page.getByRole('button', { name: 'Create campaign' }).click()
    await page.getByText('is running. Next, create the link').waitFor()
    expect(await page.evaluate(() => Object.keys(sessionStorage))).toEqual([])
    // The page names a file that is too large to keep.
    await page.goto('about:blank')
    await page.goto(signedIn('/new'))
    const large = 'id,text\n' + Array.from({ length: 30_000 }, (_, n) => `r${n},${'word '.repeat(15)}\n`).join('')
    await page.locator('input[type=file]').setInputFiles(file('large.csv', large))
    await page.getByText('30,000 items can be used').waitFor()
    page.removeAllListeners('dialog')
    page.on('dialog', (dialog) => void dialog.accept())
    await page.reload()
    await page.getByText('large.csv was too large to keep').waitFor()
    await page.getByRole('button', { name: 'Start over' }).click()
    await page.getByText('Drop a CSV').waitFor()
    expect(faults).toEqual([])
    await context.close()
  })

  it('continues after a reload in the middle of the creation, and creates nothing twice', async () => {
    const { page, context } = await visit(browser, signedIn('/new'))
    await page.locator('input[type=file]').setInputFiles(file('broken.csv', 'id,text\na,Good\nb,Bad\n'))
    const go = page.getByRole('button', { name: 'Continue' })
    await go.click()
    await page.getByLabel('Campaign name').fill('Broken off')
    await page.getByLabel('Answer 1').fill('no')
    await page.getByLabel('Answer 2').fill('yes')
    await go.click()
    await go.click()
    await page.route('**/items', (route) => route.abort())
    await page.getByRole('button', { name: 'Create campaign' }).click()
    await page.getByText('Part of the campaign may already exist').waitFor()
    page.removeAllListeners('dialog')
    page.on('dialog', (dialog) => void dialog.accept())
    await page.reload()
    await page.getByText('You left while this campaign was being created').waitFor()
    await page.unroute('**/items')
    await page.getByRole('button', { name: 'Continue where it stopped' }).click()
    await page.getByText('is running. Next, create the link').waitFor()
    await page.goto(server.address)
    await page.getByRole('link', { name: 'Broken off' }).first().waitFor()
    expect(await page.getByRole('link', { name: 'Broken off' }).count()).toBe(1)
    await context.close()
  })

  it('lets language models label first, with a sample for people', async () => {
    const { page, context, faults } = await visit(browser, signedIn('/new'))
    await page.getByRole('button', { name: 'Use template: Sentiment of reviews' }).click()
    const go = page.getByRole('button', { name: 'Continue' })
    for (let step = 0; step < 3; ++step) await go.click()
    await page.getByLabel('Language models first').check()
    await page.getByText('which shows what the models are worth').waitFor()
    const sample = page.getByLabel('Items that people label too')
    expect(await sample.getAttribute('placeholder')).toBe('9')
    await sample.fill('10')
    await page.getByText('Write a whole number from 1 to 9').waitFor()
    expect(await page.getByRole('button', { name: 'Create campaign' }).isDisabled()).toBe(true)
    await sample.fill('6')
    await page.getByText('people label 6 random items too').waitFor()
    expect(await barriers(page)).toEqual([])
    await page.getByRole('button', { name: 'Create campaign' }).click()
    await page.getByRole('heading', { name: 'Next: start the models' }).waitFor()
    await page.waitForURL((url) => url.pathname.split('/').length > 2)
    const id = new URL(page.url()).pathname.split('/')[2] ?? ''
    await page.getByText(`/campaigns/${id}.db --endpoint`).waitFor()
    expect(await barriers(page)).toEqual([])
    const made = await server.admin.get<{ options: { people_sample: number } }>(path('campaigns', id))
    expect(made.options.people_sample).toBe(6)
    await page.goto(signedIn(`/campaigns/${id}/settings`))
    await page.getByText('6 random items get a label of a worker outside all groups').waitFor()
    expect(faults).toEqual([])
    await context.close()
  })

  it('forecasts a question with three answers, and warns of too few workers', async () => {
    const { page, context, faults } = await visit(browser, signedIn('/new'))
    const rows = ['id,text,gold', 'a,Sky,blue', 'b,Grass,green', 'c,Blood,red', 'd,Rust,', 'e,Moss,']
    await page.locator('input[type=file]').setInputFiles(file('colours.csv', rows.join('\n')))
    const go = page.getByRole('button', { name: 'Continue' })
    await page.getByText('5 items can be used').waitFor()
    await go.click()
    await page.getByLabel('Campaign name').fill('Colours')
    await page.getByLabel('Question (optional)').fill('Which colour?')
    expect(await page.getByLabel('Answer 3').inputValue()).toBe('red')
    await go.click()
    await page.getByLabel('Labels to buy').fill('10')
    await page.getByText('If workers are right 80% of the time, expect about').waitFor()
    expect(await page.getByText('best possible').count()).toBe(0)
    await go.click()
    // A worker labels each item once: one worker is too few for ten labels on five items, two are enough.
    await page.getByLabel('Worker names').fill('ann')
    await page.getByText('can give at most 5 labels. The budget pays for 10').waitFor()
    await page.getByLabel('Worker names').fill('ann\nbob')
    await page.getByText('can give at most').waitFor({ state: 'detached' })
    expect(faults).toEqual([])
    await context.close()
  })

  it('works by keyboard alone', async () => {
    const { page, context } = await visit(browser, signedIn('/new'))
    await page.getByRole('button', { name: 'Try an example file' }).press('Enter')
    await page.getByText('8 items can be used').waitFor()
    await page.getByRole('button', { name: 'Continue' }).press('Enter')
    // The heading of the new step has the focus, and Tab leads to its fields.
    await page.getByRole('heading', { name: /Step 2 of 4/ }).waitFor()
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('H1')
    // Behind the way back to the first step.
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    expect(await page.getByLabel('Campaign name').evaluate((field) => field === document.activeElement)).toBe(true)
    await context.close()
  })
})

describe('files of other tools', () => {
  const bytes = (name: string, text: string) => ({ name, mimeType: 'text/csv', buffer: Buffer.from(text, 'latin1') })

  it('are read in the encoding they have, or refused with a hint', async () => {
    const { page, context, faults } = await visit(browser, signedIn('/new'))
    const input = page.locator('input[type=file]')
    await input.setInputFiles(bytes('book.xlsx', 'PK\x03\x04 xl/workbook.xml'))
    await page.getByText('book.xlsx is an Excel workbook. In Excel, choose File, Save As, “CSV UTF-8”').waitFor()
    await input.setInputFiles(bytes('german.csv', 'id;text\n1;Die T\xfcr f\xfcr 5 \x80\n2;Caf\xe9\n'))
    await page.getByText('it was read as Windows-1252').waitFor()
    await page.getByRole('cell', { name: 'Die Tür für 5 €' }).waitFor()
    expect(await page.getByText('Excel workbook').count()).toBe(0)
    await input.setInputFiles(bytes('latin.csv', 'id;text\n1;Die T\xfcr\n'))
    await page.getByText('it was read as Latin-1').waitFor()
    expect(await barriers(page)).toEqual([])
    const tasks = [{ id: 1, data: { text: 'One' } }, { id: 2, data: { text: 'Two' } }]
    await input.setInputFiles(file('tasks.json', JSON.stringify(tasks, null, 2)))
    await page.getByText('The file was read as tasks of Label Studio.').waitFor()
    await page.getByRole('cell', { name: 'Two' }).waitFor()
    expect(await page.getByLabel('Use of column id').inputValue()).toBe('id')
    expect(faults).toEqual([])
    await context.close()
  })

  it('lose no item without a header row, and warn of pictures that are not loaded', async () => {
    const { page, context, faults } = await visit(browser, signedIn('/new'))
    const input = page.locator('input[type=file]')
    await input.setInputFiles(file('bare.csv', '1,"Parcel 1 is late."\n2,"Parcel 2 is late."\n3,"חבילה 3 מאחרת."\n'))
    await page.getByText('3 items can be used').waitFor()
    await page.getByText('The first row looks like an item.').waitFor()
    // A text from right to left starts at the right.
    expect(await page.getByText('חבילה').getAttribute('dir')).toBe('auto')
    await page.getByLabel('yes', { exact: true }).check()
    await page.getByText('2 items can be used').waitFor()
    const dot = 'data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw=='
    const rows = ['id,picture', 'a,http://x.test/a.png', 'b,http://x.test/b.png', `c,"${dot}"`]
    await input.setInputFiles(file('pictures.csv', rows.join('\n')))
    await page.getByText('2 addresses are not shown as a picture or sound').waitFor()
    expect(await page.locator('td img').count()).toBe(1)
    expect(await barriers(page)).toEqual([])
    expect(faults).toEqual([])
    await context.close()
  })

  it('fill every field again that nobody changed', async () => {
    const { page, context } = await visit(browser, signedIn('/new'))
    const rows = (count: number, answers: string[]) =>
      'id,text,gold\n' + Array.from({ length: count }, (_, n) => `r${n},Text ${n},${answers[n] ?? ''}\n`).join('')
    const input = page.locator('input[type=file]')
    const go = page.getByRole('button', { name: 'Continue' })
    await input.setInputFiles(file('first.csv', rows(200, ['a', 'b', 'c'])))
    await go.click()
    expect(await page.getByLabel('Answer 3').inputValue()).toBe('c')
    await page.getByLabel('Question (optional)').fill('Mine?')
    // The names of finished steps lead back to them.
    await page.getByRole('button', { name: 'Back to Items' }).click()
    await input.setInputFiles(file('second.csv', rows(30, [])))
    await page.getByText('30 items can be used').waitFor()
    await go.click()
    expect(await page.getByLabel('Campaign name').inputValue()).toBe('')
    expect(await page.getByLabel('Question (optional)').inputValue()).toBe('Mine?')
    expect(await page.getByLabel('Answer 2').inputValue()).toBe('')
    await go.click()
    await page.getByText('The campaign needs a name.').waitFor()
    await page.getByText('One of the answers is empty.').waitFor()
    await page.getByLabel('Campaign name').fill('Second')
    await page.getByLabel('Answer 1').fill('no')
    await page.getByLabel('Answer 2').fill('yes')
    await go.click()
    expect(await page.getByLabel('Labels to buy').inputValue()).toBe('150')
    await page.getByLabel('Labels to buy').fill('20')
    await page.getByText('less than one label per item: 10 items get no label').waitFor()
    // The forecast has an end, the cost is the budget.
    await page.getByLabel('Labels to buy').fill('20000')
    await page.getByLabel('Pay per label').fill('0.05')
    await page.getByText('That is 667 labels per item.').waitFor()
    await page.getByText('This costs at most 1,000.00, your whole budget.').waitFor()
    await page.getByLabel('Currency').selectOption('EUR')
    await page.getByText('This costs at most €1,000.00, your whole budget.').waitFor()
    // The strategy is told in words; the others are folded.
    await page.getByText('Adaptive. Asks next where').waitFor()
    expect(await page.getByLabel('Equal splitting').isVisible()).toBe(false)
    await page.getByText('Other strategies').click()
    await page.getByLabel('Equal splitting').check()
    await page.getByText('Equal splitting. Gives every item').waitFor()
    await page.getByText('The budget pays for 20,000 labels; the forecast ends at 3,000.').waitFor()
    await context.close()
  })
})

describe('templates', () => {
  it('make a campaign in a few clicks, and their sample can be downloaded', async () => {
    const { page, context, faults } = await visit(browser, signedIn('/new'))
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Sample file: Duplicate pairs' }).click(),
    ])
    expect(download.suggestedFilename()).toBe('duplicates.csv')
    expect(await barriers(page)).toEqual([])
    await page.getByRole('button', { name: 'Use template: Relevance of search results' }).click()
    await page.getByText('12 items can be used').waitFor()
    const go = page.getByRole('button', { name: 'Continue' })
    await go.click()
    expect(await page.getByLabel('Question (optional)').inputValue()).toBe('How well does the result answer the query?')
    await page.getByRole('region', { name: 'What workers see' }).getByText('How to answer').waitFor()
    await go.click()
    await go.click()
    await page.getByRole('button', { name: 'Create campaign' }).click()
    await page.getByText('is running. Next, create the link').waitFor()
    expect(faults).toEqual([])
    await context.close()
  })
})

/** Words that a person can read on the page above a place: no tables, charts, lists to choose from, or folded parts. */
const wordsOn = (page: Page, end = Infinity) =>
  page.evaluate((below) => {
    const texts = document.createTreeWalker(document.querySelector('main') ?? document.body, NodeFilter.SHOW_TEXT)
    let count = 0
    while (texts.nextNode()) {
      const around = texts.currentNode.parentElement
      if (!around?.checkVisibility() || around.closest('select, table, svg, nav, .unseen')) continue
      if (around.getBoundingClientRect().top > below) continue
      if (around.closest('details:not([open])') && !around.closest('summary')) continue
      count += (texts.currentNode.textContent ?? '').split(/\s+/).filter(Boolean).length
    }
    return count
  }, end)

describe('the way to a recruiting link', () => {
  it('takes less than three minutes for someone who reads every word', async () => {
    const { page, context, faults } = await visit(browser, signedIn('/'))
    let [words, clicks] = [0, 0]
    const step = async (ready: string, role: 'button' | 'link', name: string) => {
      await page.getByText(ready).first().waitFor()
      words += await wordsOn(page)
      clicks += 1
      await page.getByRole(role, { name }).first().click()
    }
    await page.getByRole('link', { name: 'New campaign' }).first().click()
    await step('Which items do you want labelled?', 'button', 'Try an example file')
    await step('8 items can be used', 'button', 'Continue')
    await step('What is the question?', 'button', 'Continue')
    await step('equal splitting gives', 'button', 'Continue')
    await step('Who will answer?', 'button', 'Create campaign')
    await step('is running. Next, create the link', 'button', 'Create recruiting link')
    // The rest of the page can wait until the address is pasted.
    const address = await page.getByTestId('study-url').boundingBox()
    words += await wordsOn(page, (address?.y ?? NaN) - 1)
    clicks += 1
    await page.getByRole('button', { name: 'Copy address' }).click()
    await page.getByRole('button', { name: '✓ Copied' }).waitFor()
    const seconds = (words / 250) * 60 + clicks * 1.5
    console.log(`from the form to a copied recruiting link: ${words} words, ${clicks} clicks, ${Math.round(seconds)} s at 250 words per minute`)
    expect(seconds).toBeLessThan(180)
    expect(faults).toEqual([])
    await context.close()
  })
})
