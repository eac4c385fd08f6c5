// A study and a board in Firefox. Skipped where there is no Firefox; docs/howto/add-a-page.md says how to get one.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { path } from '../src/api/client.ts'
import type { RecruitingLink, SessionRow } from '../src/api/recruiting_types.ts'
import { kPointerDelay } from '../src/label/press_guard.ts'
import { Firefox, findFirefox } from './firefox.ts'
import { Server, until } from './harness.ts'

const program = findFirefox()
if (program === null) console.log('skipped: there is no firefox-esr to open pages with')

let server: Server
let firefox: Firefox
beforeAll(async () => {
  if (program === null) return
  server = await new Server().start()
  firefox = await Firefox.start(program)
}, 120_000)
afterAll(async () => {
  if (program === null) return
  await firefox.stop()
  await server.stop()
})

it.skipIf(program === null)('takes a participant from the link to the code, and shows the requester what came of it', { timeout: 240_000 }, async () => {
  const items = Array.from({ length: 4 }, (_, n) => ({ id: `r${n}`, fields: { text: `Review ${n}` } }))
  const campaign = await server.campaign({ page: { question: 'Is it positive?', instructions: '**Read** it.' } }, items)
  const terms = { platform: 'panel', id_parameter: 'PID', labels: 3, codes: { done: 'C-DONE' } }
  const link = await server.admin.post<RecruitingLink>(path('campaigns', campaign, 'recruiting'), terms)
  await firefox.open(`${server.address}/join/${campaign}/${link.id}?PID=fox`)
  await firefox.see('Is it positive?')
  await firefox.click('I agree. Start')
  for (const left of ['3 questions left', '2 questions left', '1 question left']) {
    await firefox.see(left)
    // The delay counts from the item, which can come a moment after the number of questions.
    await new Promise((resolve) => setTimeout(resolve, kPointerDelay + 1000))
    await firefox.click('positive')
  }
  await firefox.see('C-DONE')
  const { sessions } = await server.admin.get<{ sessions: SessionRow[] }>(path('campaigns', campaign, 'sessions'))
  expect(sessions.map(({ labels, outcome }) => ({ labels, outcome }))).toEqual([{ labels: 3, outcome: 'done' }])

  await firefox.open(`${server.address}/campaigns/${campaign}#token=${server.admin.token}`)
  await firefox.see('Accuracy as labels come in')
  await until(async () => (await firefox.evaluate("document.querySelectorAll('svg path').length > 3")) === 'true', 'the curve is drawn')
  await firefox.open(`${server.address}/campaigns/${campaign}/recruiting#token=${server.admin.token}`)
  await firefox.see('Export sessions')
})
