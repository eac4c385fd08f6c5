/**
 * Tests in a real browser against a real server. `start()` gives a server with a data folder of its
 * own and an admin's client; `browse()` one Chromium for all tests of a file, with a context (cookies,
 * storage) for everybody who is to be somebody else.
 *
 *   ALLOT_PROGRAM   the program, build/release/allot if not given
 *   ALLOT_CHROMIUM  the browser, `chromium` on the path if not given
 *   ALLOT_WEB_ROOT  pages to serve instead of those in the program
 */
import { AxeBuilder } from '@axe-core/playwright'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { Client, path } from '../src/api/client.ts'

export const program = process.env.ALLOT_PROGRAM ?? fileURLToPath(new URL('../../build/release/allot', import.meta.url))

export class Server {
  private child: ChildProcess | null = null
  private readonly folder = mkdtempSync(join(tmpdir(), 'allot-web-'))
  address = ''
  admin = new Client('')

  async start() {
    const listen = this.address === '' ? '127.0.0.1:0' : this.address.replace('http://', '')
    const words = ['serve', '--data', this.folder, '--listen', listen, '--log-level', 'off', '--stop-timeout', '1']
    if (process.env.ALLOT_WEB_ROOT) words.push('--web-root', process.env.ALLOT_WEB_ROOT)
    const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'inherit'] })
    this.child = child
    let said = ''
    await new Promise<void>((resolve, reject) => {
      child.once('exit', (code) => reject(new Error(`allot serve ended with ${code}: ${said}`)))
      child.stdout.on('data', (piece: Buffer) => {
        said += piece.toString()
        if (said.includes('Listening on')) resolve()
      })
    })
    this.address = /Listening on (\S+)/.exec(said)?.[1] ?? ''
    const token = /allot_\w+/.exec(said)?.[0]
    if (token) this.admin = new Client(token, fetch, this.address)
    return this
  }

  /** As if the power were cut. */
  async kill(signal: NodeJS.Signals = 'SIGKILL') {
    const { child } = this
    if (!child || child.exitCode !== null) return
    const gone = new Promise((resolve) => child.once('exit', resolve))
    child.removeAllListeners('exit')
    child.once('exit', () => undefined)
    child.kill(signal)
    await Promise.race([gone, new Promise((resolve) => child.once('exit', resolve))])
    this.child = null
  }

  async stop() {
    await this.kill('SIGTERM')
    rmSync(this.folder, { recursive: true, force: true })
  }

  /** A campaign with items, as the requester would make it by the API. */
  async campaign(options: Record<string, unknown> = {}, items: unknown[] = texts(40)) {
    const made = await this.admin.post<{ id: string }>(path('campaigns'), {
      name: 'Reviews',
      classes: ['negative', 'positive'],
      budget: 500,
      lease: '10m',
      ...options,
    })
    if (items.length) await this.admin.post(path('campaigns', made.id, 'items'), { items })
    return made.id
  }

  /** Where a worker works. */
  async link(campaign: string, worker: string) {
    const made = await this.admin.post<{ link: string }>(path('campaigns', campaign, 'links'), { worker })
    return this.address + made.link
  }

  /** Labels as the export has them, in the order they came. */
  async labels(campaign: string) {
    const text = await this.admin.get<string>(path('campaigns', campaign, 'export', 'labels'), {
      query: { format: 'jsonl' },
    })
    return text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as { item: string; worker: string; label: string })
  }
}

export function texts(count: number) {
  return Array.from({ length: count }, (_, n) => ({
    id: `r${n}`,
    fields: { text: `Review number ${n}: it does what it says.` },
  }))
}

export async function browse(): Promise<Browser> {
  const executablePath =
    process.env.ALLOT_CHROMIUM ?? execFileSync('sh', ['-c', 'command -v chromium']).toString().trim()
  return chromium.launch({
    executablePath,
    args: [
      ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
      ...['--disable-component-update', '--disable-sync'],
    ],
  })
}

/** A page of somebody with a browser of their own; what goes wrong in it fails the test. */
export async function visit(browser: Browser, address: string, options: BrowserContextOptions = {}) {
  const context = await browser.newContext(options)
  const page = await context.newPage()
  const faults = watch(page)
  await page.goto(address)
  return { context, page, faults }
}

/** Errors of the page: exceptions, dialogs, and what the Content-Security-Policy refused. */
export function watch(page: Page): string[] {
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(String(error)))
  page.on('dialog', (dialog) => {
    faults.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('console', (message) => {
    if (/Content.Security.Policy/i.test(message.text())) faults.push(message.text())
  })
  return faults
}

/** What an accessibility check holds against the page, of weight. */
export async function barriers(page: Page): Promise<string[]> {
  const found = await new AxeBuilder({ page }).analyze()
  return found.violations
    .filter((one) => one.impact === 'serious' || one.impact === 'critical')
    .map((one) => `${one.id}: ${one.nodes.map((node) => node.html).join(' | ')}`)
}

/** Waits until it holds. */
export async function until(holds: () => Promise<boolean> | boolean, what: string, milliseconds = 15_000) {
  const end = Date.now() + milliseconds
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`waited in vain: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
