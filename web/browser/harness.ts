/**
 * Tests in a real browser against a real server. `start()` starts a server with its own data folder and
 * an admin's client. `browse()` starts one Chromium for all tests of a file; each person in a test has
 * a separate context (cookies, storage).
 *
 *   ALLOT_PROGRAM   the program; build/release/allot by default
 *   ALLOT_CHROMIUM  the browser; `chromium` on the path by default
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

  /** `options` are further ones of `allot serve`. */
  constructor(private readonly options: string[] = []) {}

  async start() {
    const listen = this.address === '' ? '127.0.0.1:0' : this.address.replace('http://', '')
    const options = ['serve', '--data', this.folder, '--listen', listen, '--log-level', 'off', '--stop-timeout', '1', ...this.options]
    if (process.env.ALLOT_WEB_ROOT) options.push('--web-root', process.env.ALLOT_WEB_ROOT)
    const child = spawn(program, options, { stdio: ['ignore', 'pipe', 'inherit'] })
    this.child = child
    let output = ''
    await new Promise<void>((resolve, reject) => {
      child.once('exit', (code) => reject(new Error(`allot serve ended with ${code}: ${output}`)))
      child.stdout.on('data', (piece: Buffer) => {
        output += piece.toString()
        if (output.includes('Listening on')) resolve()
      })
    })
    this.address = /Listening on (\S+)/.exec(output)?.[1] ?? ''
    const token = /allot_\w+/.exec(output)?.[0]
    if (token) this.admin = new Client(token, fetch, this.address)
    return this
  }

  /** Ends the server at once, as a power cut does. */
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

  /** Creates a campaign with items through the API and returns its id. */
  async campaign(options: Record<string, unknown> = {}, items: unknown[] = texts(40)) {
    const created = await this.admin.post<{ id: string }>(path('campaigns'), {
      name: 'Reviews',
      classes: ['negative', 'positive'],
      budget: 500,
      lease: '10m',
      ...options,
    })
    if (items.length) await this.admin.post(path('campaigns', created.id, 'items'), { items })
    return created.id
  }

  /** Creates a link for a worker and returns its address. */
  async link(campaign: string, worker: string) {
    const created = await this.admin.post<{ link: string }>(path('campaigns', campaign, 'links'), { worker })
    return this.address + created.link
  }

  /** Exports the labels in the order they came. */
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
      // A stand-in of a platform may show a page of this machine in its frame.
      '--disable-features=LocalNetworkAccessChecks',
    ],
  })
}

/** Opens a page in a new context; `faults` collects its errors. */
export async function visit(browser: Browser, address: string, options: BrowserContextOptions = {}) {
  const context = await browser.newContext(options)
  const page = await context.newPage()
  const faults = watch(page)
  await page.goto(address)
  return { context, page, faults }
}

/** Collects errors of the page: exceptions, dialogs and violations of the Content-Security-Policy. */
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

/** Finds serious and critical accessibility problems of the page. */
export async function barriers(page: Page): Promise<string[]> {
  const found = await new AxeBuilder({ page }).analyze()
  return found.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' | ')}`)
}

/** What the buttons of the answers look like; a button that looks chosen differs from the others. */
export function answerLooks(page: Page): Promise<string[]> {
  const buttons = page.getByRole('main').locator('[role=group] button')
  return buttons.evaluateAll((found) =>
    found.map((button) => {
      const { backgroundColor, borderColor, borderWidth, color, outlineStyle, boxShadow } = getComputedStyle(button)
      return [backgroundColor, borderColor, borderWidth, color, outlineStyle, boxShadow].join(' ')
    }),
  )
}

/** Controls that are smaller than 24 pixels. A box counts with its label; links inside sentences follow the text. */
export function smallTargets(page: Page): Promise<string[]> {
  return page.locator('a, button, input, select, summary, textarea').evaluateAll((controls) =>
    controls.flatMap((control) => {
      const label = control instanceof HTMLInputElement ? control.labels?.[0] : undefined
      const boxes = [control, ...(label ? [label] : [])].map((target) => target.getBoundingClientRect())
      const inSentence = control.tagName === 'A' && getComputedStyle(control).display === 'inline'
      const isShown = control.getClientRects().length > 0 && !control.closest('.unseen')
      const isLarge = boxes.some(({ width, height }) => width >= 24 && height >= 24)
      const text = (label ?? control).textContent?.trim().slice(0, 40)
      return !isShown || inSentence || isLarge ? [] : [`${control.tagName} ${text}: ${boxes[0]?.width} x ${boxes[0]?.height}`]
    }),
  )
}

/** Waits until a condition holds. */
export async function until(holds: () => Promise<boolean> | boolean, what: string, milliseconds = 15_000) {
  const end = Date.now() + milliseconds
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`timeout: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
