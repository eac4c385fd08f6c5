// Language models from the board in Chromium, against a stand-in of a chat endpoint.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { path } from '../src/api/client.ts'
import { barriers, browse, Server, texts, visit } from './harness.ts'

vi.setConfig({ testTimeout: 240_000 })

const folder = mkdtempSync(join(tmpdir(), 'allot-models-'))
/** Prompts of all requests so far; those after `most` get their reply when somebody calls `held`. */
const prompts: string[] = []
const held: (() => void)[] = []
let most = Infinity
const endpoint = createServer((request, response) => {
  let text = ''
  request.on('data', (piece: Buffer) => (text += piece.toString()))
  request.on('end', () => {
    const { messages } = JSON.parse(text) as { messages: { content: string }[] }
    prompts.push(messages[1]?.content ?? '')
    const content = prompts.length % 5 === 0 ? 'I cannot say' : 'positive'
    const reply = () => response.end(JSON.stringify({ choices: [{ finish_reason: 'stop', message: { role: 'assistant', content } }] }))
    if (prompts.length > most) held.push(reply)
    else reply()
  })
})
let server: Server
let browser: Browser

beforeAll(async () => {
  await new Promise<void>((resolve) => endpoint.listen(0, '127.0.0.1', resolve))
  const { port } = endpoint.address() as AddressInfo
  const house = `[[endpoint]]\nname = "house"\nurl = "http://127.0.0.1:${port}/v1"\nkey-file = "${folder}/key"\nat-once = 2\n`
  const other = '[[endpoint]]\nname = "other"\nurl = "https://models.example.invalid/v1"\n'
  writeFileSync(join(folder, 'key'), 'sk-0123456789')
  writeFileSync(
    join(folder, 'models.toml'),
    `${house}models = { "small-1" = "0.001", "large-2" = "0.01" }\n${other}models = { far = "1" }\n`,
  )
  ;[server, browser] = await Promise.all([new Server(['--models', join(folder, 'models.toml')]).start(), browse()])
})
afterAll(async () => {
  await browser.close()
  await server.stop()
  endpoint.closeAllConnections()
  endpoint.close()
  rmSync(folder, { recursive: true, force: true })
})

const signedIn = (where: string) => `${server.address}${where}#token=${server.admin.token}`

describe('language models', () => {
  it('are started with a prompt and a cap, show their progress, and stop', async () => {
    const campaign = await server.campaign({ page: { question: 'Is it good?' } })
    const { page, context, faults } = await visit(browser, signedIn(`/campaigns/${campaign}`))
    const card = page.getByRole('region', { name: 'Language models' })
    const prompt = card.getByLabel('Prompt', { exact: true })
    expect(await prompt.inputValue()).toContain('Is it good?')
    await card.getByText('What a model reads about item r0').waitFor()
    await card.getByText('text: Review number 0: it does what it says.').waitFor()
    // A prompt that no item fits says so at once.
    await prompt.fill('{{body}}\n{{classes}}')
    await card.getByText('has no field').waitFor()
    expect(await card.getByRole('button', { name: 'Start the models' }).isDisabled()).toBe(true)
    await prompt.fill('Item: {{text}}\n{{classes}}')
    await card.locator('pre', { hasText: 'Item: Review number 0' }).waitFor()
    await card.getByRole('button', { name: 'Start the models' }).click()
    await card.getByText('Choose at least one model').waitFor()
    // Models of one endpoint go together.
    await card.getByLabel('far').check()
    await card.getByLabel('small-1').check()
    expect(await card.getByLabel('far').isChecked()).toBe(false)
    await card.getByLabel('Most that this run may cost').fill('0.02')
    expect(await barriers(page)).toEqual([])
    most = 30
    await card.getByRole('button', { name: 'Start the models' }).click()
    await card.getByText('The models have finished.').waitFor()
    await card.getByText('the cost cap of 0.02 is reached').waitFor()
    await card.getByRole('row', { name: 'small-1' }).getByText('16').waitFor()
    expect(prompts.length).toBe(20)
    expect(prompts[0]).toMatch(/^Item: Review number/)
    expect(await barriers(page)).toEqual([])

    await card.getByLabel('small-1').check()
    await card.getByLabel('Most that this run may cost').fill('')
    await card.getByRole('button', { name: 'Start the models' }).click()
    await card.getByText('Models are labelling.').waitFor()
    await card.getByRole('row', { name: 'small-1' }).getByText('24').waitFor()
    await card.getByRole('button', { name: 'Stop the models' }).click()
    await card.getByText('The models were stopped.').waitFor()
    held.length = 0
    const { run } = await server.admin.get<{ run: { state: string } }>(path('campaigns', campaign, 'models'))
    expect(run.state).toBe('stopped')
    expect(await page.content()).not.toContain('sk-0123456789')
    expect(faults).toEqual([])
    await context.close()
  })

  it('skip items that lack a field, say why there is no label, and wait while the campaign is paused', async () => {
    const campaign = await server.campaign({ page: { currency: 'EUR' } }, [...texts(4), { id: 'poor', fields: { body: 'x' } }])
    most = Infinity
    const { page, context, faults } = await visit(browser, signedIn(`/campaigns/${campaign}`))
    const card = page.getByRole('region', { name: 'Language models' })
    const prompt = card.getByLabel('Prompt', { exact: true })
    await card.getByText('What a model reads').waitFor()
    // A prompt that is too long is refused, and the next one is not blamed for it.
    await prompt.fill(`${'x'.repeat(200_000)} {{classes}}`)
    await card.getByRole('alert').waitFor()
    await prompt.fill('')
    await card.getByRole('alert').waitFor({ state: 'detached' })
    await prompt.fill('{{text}}\n{{classes}}')
    await card.getByText('1 of 5 items lacks a field of this prompt').waitFor()
    await card.getByLabel('small-1').check()
    await card.getByRole('button', { name: 'Start the models' }).click()
    await card.getByText('The models have finished.').waitFor()
    await card.getByText('the last times since the server started').waitFor()
    await card.getByText('Item poor, small-1: it has no field').waitFor()
    expect(await barriers(page)).toEqual([])

    most = prompts.length
    await card.getByLabel('small-1').uncheck()
    await card.getByLabel('large-2').check()
    await card.getByRole('button', { name: 'Start the models' }).click()
    await card.getByText(/The oldest request has waited \d+ seconds/).waitFor()
    await server.admin.post(path('campaigns', campaign, 'pause'), {})
    most = Infinity
    for (const reply of held.splice(0)) reply()
    await card.getByText('The models wait: the campaign is paused.').waitFor()
    await server.admin.post(path('campaigns', campaign, 'resume'), {})
    await card.getByText('The models have finished.').waitFor()
    expect(faults).toEqual([])
    await context.close()
  })

  it('come next after a new campaign in which they label first', async () => {
    const { page, context, faults } = await visit(browser, signedIn('/new'))
    await page.getByRole('button', { name: 'Use template: Sentiment of reviews' }).click()
    const go = page.getByRole('button', { name: 'Continue' })
    for (let step = 0; step < 3; ++step) await go.click()
    await page.getByLabel('Language models first').check()
    await page.getByText(/This sample takes \d+ labels of the budget of \d+ labels/).waitFor()
    await page.getByText('Models have prices in money, but this budget counts labels').waitFor()
    await page.getByRole('button', { name: 'Create campaign' }).click()
    await page.getByText('This server offers models').waitFor()
    expect(await barriers(page)).toEqual([])
    await page.getByRole('link', { name: 'Open the board' }).click()
    await page.getByRole('region', { name: 'Language models' }).getByText('What a model reads').waitFor()
    expect(faults).toEqual([])
    await context.close()
  })
})
