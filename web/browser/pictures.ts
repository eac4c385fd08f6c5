/**
 * Takes pictures of every page from a fast demo, for docs/pictures/*.png. scripts/screenshots runs this
 * file. The tests run in order: each starts where the one before it ended.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, test } from 'vitest'
import { Client, path } from '../src/api/client.ts'
import { browse, program, until } from './harness.ts'

const folder = fileURLToPath(new URL('../../docs/pictures/', import.meta.url))

let demo: ChildProcess
let server = ''
let campaign = ''
let token = ''
let worker = ''
let api: Client
let browser: Browser

beforeAll(async () => {
  mkdirSync(folder, { recursive: true })
  demo = spawn(program, ['demo', '--listen', '127.0.0.1:0', '--pace', '25'], { stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  demo.stdout?.on('data', (piece: Buffer) => (output += piece.toString()))
  await until(() => output.includes('Ctrl-C'), 'the demo starts')
  const watched = /(http:\S+)\/campaigns\/(\w+)#token=(\w+)/.exec(output)
  if (!watched) throw new Error(`no link in: ${output}`)
  ;[, server = '', campaign = '', token = ''] = watched
  worker = /http:\S+(\/label\/\S+)/.exec(output)?.[1] ?? ''
  api = new Client(token, fetch, server)
  browser = await browse()
})

afterAll(async () => {
  await browser.close()
  const gone = new Promise((resolve) => demo.once('exit', resolve))
  demo.kill('SIGTERM')
  await gone
})

const labels = async (id: string) =>
  (await api.get<{ labels: number }>(path('campaigns', id, 'status'))).labels

async function open(address: string, options: BrowserContextOptions = {}, signedIn = true): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 720 }, ...options })
  const page = await context.newPage()
  await page.goto(server + address + (signedIn ? `#token=${token}` : ''))
  return page
}

async function picture(page: Page, name: string, whole = true) {
  // Waits until nothing loads or moves.
  await page.waitForTimeout(700)
  await page.screenshot({ path: `${folder}${name}.png`, fullPage: whole, animations: 'disabled' })
  await page.context().close()
}

const dark = { colorScheme: 'dark' } as const
const phone = { viewport: { width: 390, height: 780 }, hasTouch: true, isMobile: true }

test('sign-in', async () => {
  const page = await open('/', {}, false)
  await page.getByRole('button', { name: 'Sign in' }).waitFor()
  await picture(page, 'sign-in')
})

/** Starts, answers three items, and stops at the next. */
async function work(page: Page) {
  await page.getByRole('button', { name: 'Start' }).click()
  for (const key of ['1', '2', '1']) {
    await page.getByText('answer today?').first().waitFor()
    await page.waitForTimeout(400)
    await page.keyboard.press(key)
  }
}

test('instructions', async () => {
  const page = await open(worker, { viewport: { width: 1000, height: 460 } }, false)
  await page.getByRole('button', { name: 'Start' }).waitFor()
  await picture(page, 'instructions')
})

test('label', async () => {
  const page = await open(worker, { viewport: { width: 1000, height: 420 } }, false)
  await work(page)
  await picture(page, 'label')
})

test('label on a phone', async () => {
  const page = await open(worker, { ...phone, ...dark }, false)
  await work(page)
  await picture(page, 'label-phone', false)
})

test('wizard', async () => {
  // High enough for the whole step: its last row of buttons stays at the lower edge of the window.
  const page = await open('/new', { viewport: { width: 1280, height: 1060 } })
  await page.getByRole('button', { name: 'Try an example file' }).click()
  await page.waitForTimeout(300)
  await picture(page, 'wizard', false)
})

test('board', async () => {
  await until(async () => (await labels(campaign)) >= 500, 'the crowd gives labels', 90_000)
  const page = await open(`/campaigns/${campaign}`)
  await page.getByText('Being labelled now').waitFor()
  await picture(page, 'board-whole')
})

test('board, top', async () => {
  const page = await open(`/campaigns/${campaign}`, { viewport: { width: 1280, height: 1370 } })
  await page.getByText('Being labelled now').waitFor()
  await picture(page, 'board', false)
})

test('board, dark', async () => {
  const page = await open(`/campaigns/${campaign}`, dark)
  await page.getByText('Being labelled now').waitFor()
  await picture(page, 'board-dark', false)
})

test('compare', async () => {
  const page = await open(`/campaigns/${campaign}`)
  await page.getByRole('link', { name: 'Compare in detail' }).click()
  await page.waitForURL('**/compare/**')
  const other = page.url().split('/').pop() ?? ''
  await until(async () => (await labels(other)) >= 1100, 'the second campaign catches up', 120_000)
  await picture(page, 'compare')
})

test('item', async () => {
  const rows = await api.get<{ items: { item: string }[] }>(path('campaigns', campaign, 'items'), {
    query: { order: 'labels', direction: 'down', limit: '1' },
  })
  const page = await open(`/campaigns/${campaign}/items/${rows.items[0]?.item ?? ''}`)
  await page.getByRole('heading').first().waitFor()
  await picture(page, 'item')
})

test('list', async () => {
  const page = await open('/')
  await page.getByText('Urgent messages').first().waitFor()
  await picture(page, 'list')
})
