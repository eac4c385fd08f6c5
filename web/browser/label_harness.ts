// A worker in Chromium, for tests of the worker's page.
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { afterEach } from 'vitest'
import { kKeyDelay } from '../src/label/press_guard.ts'
import { until, visit } from './harness.ts'
import { browser, server, useServer } from './requester_harness.ts'

const opened: BrowserContext[] = []

/** Gives all tests of a file one server and one browser; what a test opened is closed after it. */
export function useWorkers() {
  useServer()
  afterEach(async () => {
    for (const context of opened.splice(0)) await context.close()
  })
}

/** Opens an address for a worker. */
export async function open(address: string, options: BrowserContextOptions = {}) {
  const visited = await visit(browser, address, options)
  opened.push(visited.context)
  return visited
}

/** Opens the worker's page and waits for the first item. */
export async function work(campaign: string, worker: string, options: BrowserContextOptions = {}) {
  const visited = await open(await server.link(campaign, worker), options)
  await visited.page.locator('[data-item]').waitFor()
  return visited
}

export const shown = (page: Page) => page.locator('[data-item]').getAttribute('data-item')
export const says = (page: Page, text: string) => page.getByText(text).first().waitFor()

/** Waits until a key counts: no press does for a moment after a new item. */
export const ready = (page: Page) => page.waitForTimeout(kKeyDelay + 20)

export async function changed(page: Page, before: string | null) {
  await page.waitForFunction(
    (old) => document.querySelector('[data-item]')?.getAttribute('data-item') !== old,
    before,
  )
}

/** Presses a key, waits for the next item, and returns the item that was answered. */
export async function press(page: Page, key: string) {
  const before = await shown(page)
  await ready(page)
  await page.keyboard.press(key)
  await changed(page, before)
  return before
}

/** Waits for the items ahead. */
export const fetched = (page: Page) => page.locator('[data-ahead="2"]').waitFor()

export const recorded = (campaign: string, count: number) =>
  until(async () => (await server.labels(campaign)).length === count, `${count} labels`)
