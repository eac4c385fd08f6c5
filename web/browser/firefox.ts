// Firefox by WebDriver BiDi (w3.org/TR/webdriver-bidi), which Firefox speaks itself: no driver is needed.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
// jsdom brings it; Node has a WebSocket of its own from version 22 on.
import { WebSocket } from 'undici'
import { until } from './harness.ts'

/** The path of Firefox, from ALLOT_FIREFOX or the path; null if there is none. */
export function findFirefox(): string | null {
  if (process.env.ALLOT_FIREFOX) return process.env.ALLOT_FIREFOX
  try {
    return execFileSync('sh', ['-c', 'command -v firefox-esr || command -v firefox']).toString().trim()
  } catch {
    return null
  }
}

interface Reply {
  id?: number
  type: string
  message?: string
  result?: unknown
}

/** One window of Firefox. */
export class Firefox {
  private readonly waiting = new Map<number, { resolve: (result: unknown) => void; reject: (error: Error) => void }>()
  private sent = 0
  private context = ''

  private constructor(
    private readonly child: ChildProcess,
    private readonly profile: string,
    private readonly socket: WebSocket,
  ) {
    socket.addEventListener('message', ({ data }) => {
      const { id, type, message, result } = JSON.parse(String(data)) as Reply
      const asked = this.waiting.get(id ?? 0)
      this.waiting.delete(id ?? 0)
      if (type === 'error') asked?.reject(new Error(message))
      else asked?.resolve(result)
    })
  }

  static async start(program: string): Promise<Firefox> {
    const profile = mkdtempSync(join(tmpdir(), 'allot-firefox-'))
    const options = ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', '0', 'about:blank']
    const child = spawn(program, options, { stdio: ['ignore', 'ignore', 'pipe'] })
    let output = ''
    child.stderr.on('data', (piece: Buffer) => (output += piece.toString()))
    const address = () => /WebDriver BiDi listening on (ws:\S+)/.exec(output)?.[1]
    await until(() => address() !== undefined, `Firefox starts: ${output}`, 60_000)
    const socket = new WebSocket(`${address() ?? ''}/session`)
    await new Promise((resolve) => socket.addEventListener('open', resolve, { once: true }))
    const firefox = new Firefox(child, profile, socket)
    await firefox.command('session.new', { capabilities: {} })
    const { contexts } = (await firefox.command('browsingContext.getTree', {})) as { contexts: { context: string }[] }
    firefox.context = contexts[0]?.context ?? ''
    return firefox
  }

  async stop() {
    const gone = new Promise((resolve) => this.child.once('exit', resolve))
    this.socket.close()
    this.child.kill('SIGTERM')
    await gone
    rmSync(this.profile, { recursive: true, force: true })
  }

  private command(method: string, params: Record<string, unknown>): Promise<unknown> {
    const id = ++this.sent
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject })
      this.socket.send(JSON.stringify({ id, method, params }))
    })
  }

  open = (url: string) => this.command('browsingContext.navigate', { context: this.context, url, wait: 'complete' })

  /** The value of an expression in the page, as text. */
  async evaluate(expression: string): Promise<string> {
    const target = { context: this.context }
    const reply = (await this.command('script.evaluate', { expression: `String(${expression})`, target, awaitPromise: true })) as {
      result?: { value?: string }
      exceptionDetails?: { text: string }
    }
    if (reply.exceptionDetails) throw new Error(reply.exceptionDetails.text)
    return reply.result?.value ?? ''
  }

  /** Waits until the page shows the text. */
  see = (text: string) =>
    until(async () => (await this.evaluate('document.body.innerText')).includes(text), `Firefox shows “${text}”`, 30_000)

  /** Clicks with the mouse on the first button whose text begins so. */
  async click(text: string) {
    const button = `[...document.querySelectorAll('button')].find((one) => one.innerText.startsWith(${JSON.stringify(text)}))`
    await until(async () => (await this.evaluate(`${button} !== undefined && !${button}.disabled`)) === 'true', `a button “${text}”`)
    const place = await this.evaluate(
      `(${button}.scrollIntoView({ block: 'center' }), JSON.stringify(${button}.getBoundingClientRect()))`,
    )
    const { x, y, width, height } = JSON.parse(place) as DOMRect
    const actions = [
      { type: 'pointerMove', x: Math.round(x + width / 2), y: Math.round(y + height / 2) },
      { type: 'pointerDown', button: 0 },
      { type: 'pointerUp', button: 0 },
    ]
    await this.command('input.performActions', { context: this.context, actions: [{ type: 'pointer', id: 'mouse', actions }] })
  }
}
