// A server, a browser and helpers for tests of the requester's pages.
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, vi } from 'vitest'
import { path } from '../src/api/client.ts'
import { browse, Server } from './harness.ts'

export let server: Server
export let browser: Browser

/** Gives all tests of a file one server and one browser. */
export function useServer() {
  // An accessibility check of a board takes seconds on a busy machine.
  vi.setConfig({ testTimeout: 240_000 })
  beforeAll(async () => {
    ;[server, browser] = await Promise.all([new Server().start(), browse()])
  })
  afterAll(async () => {
    await browser.close()
    await server.stop()
  })
}

/** The address of a page with the token of the admin. */
export const signedIn = (where: string) => `${server.address}${where}#token=${server.admin.token}`

/** A file for the file input. */
export const file = (name: string, text: string) => ({ name, mimeType: 'text/csv', buffer: Buffer.from(text) })

/** Gives right labels through the API, so that accuracy grows. */
export async function answer(campaign: string, workers: string[], rounds: number) {
  for (let n = 0; n < rounds; ++n) {
    for (const worker of workers) {
      const { assignments } = await server.admin.post<{ assignments: { item: string }[] }>(
        path('campaigns', campaign, 'assignments'),
        { worker, count: 1 },
      )
      for (const { item } of assignments) {
        const label = Number(item.slice(1)) % 2 ? 'positive' : 'negative'
        await server.admin.post(path('campaigns', campaign, 'labels'), { worker, item, label })
      }
    }
  }
}

export const items = (count: number, truth = true) =>
  Array.from({ length: count }, (_, n) => ({
    id: `r${n}`,
    fields: { text: `Review number ${n}: ${n % 2 ? 'a joy to use' : 'broke on day two'}.` },
    ...(truth ? { truth: n % 2 ? 'positive' : 'negative' } : {}),
  }))

/** Waits for the board. */
export const board = (page: Page) => page.getByRole('heading', { name: 'Accuracy as labels come in' }).waitFor()
export const figure = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
