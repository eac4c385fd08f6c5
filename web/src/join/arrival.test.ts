import { afterEach, describe, expect, it } from 'vitest'
import { Client } from '../api/client.ts'
import { parseArrival } from './address.ts'
import { Arrival } from './arrival.svelte.ts'

const study = {
  name: 'Reviews',
  platform: 'prolific',
  id_parameter: 'PROLIFIC_PID',
  session_parameter: 'SESSION_ID',
  capture: ['STUDY_ID'],
  classes: ['no', 'yes'],
  page: {},
  consent: '',
  open: true,
  labels: 5,
  qualification: 0,
  sample: null,
}

const json = (body: unknown, status = 200) =>
  new Response(JSON.stringify(body), { status, headers: { 'Content-Type': 'application/json' } })

/** A server that gives these replies to POST, one after the other. */
function server(replies: (() => Response)[], about: object = study) {
  const joined: unknown[] = []
  const client = new Client('', (_input, init) => {
    if (init?.method !== 'POST') return Promise.resolve(json(about))
    joined.push(JSON.parse(String(init.body)))
    const reply = replies.shift()
    return reply ? Promise.resolve(reply()) : Promise.reject(new TypeError('cut'))
  })
  return { client, joined }
}

const address = (search: string) => ({ pathname: '/join/c1/l1', search })
const token = () => json({ token: 'allot_1_2', campaign: 'c1', back: false })

afterEach(() => localStorage.clear())

describe('parseArrival', () => {
  it('reads the campaign, the link and the parameters', () => {
    expect(parseArrival(address('?PROLIFIC_PID=ann&x=a%26b'))).toEqual({
      campaign: 'c1',
      link: 'l1',
      parameters: { PROLIFIC_PID: 'ann', x: 'a&b' },
    })
  })
})

describe('Arrival', () => {
  it('joins only after the person agrees, with the parameters that the link wants', async () => {
    const { client, joined } = server([token])
    const arrival = new Arrival(address('?PROLIFIC_PID=ann&STUDY_ID=s&other=1'), client)
    await arrival.start()
    expect([arrival.view, joined]).toEqual(['consent', []])
    await arrival.agree()
    expect(arrival.view).toBe('joined')
    expect(joined).toEqual([{ agree: true, parameters: { PROLIFIC_PID: 'ann', STUDY_ID: 's' } }])
  })

  it('asks once per device and participant', async () => {
    const { client, joined } = server([token, token])
    await new Arrival(address('?PROLIFIC_PID=ann'), client).start()
    const first = new Arrival(address('?PROLIFIC_PID=ann'), client)
    await first.start()
    await first.agree()
    const reload = new Arrival(address('?PROLIFIC_PID=ann'), client)
    await reload.start()
    expect([reload.view, joined.length]).toEqual(['joined', 2])
    const other = new Arrival(address('?PROLIFIC_PID=bob'), client)
    await other.start()
    expect(other.view).toBe('consent')
  })

  it('names the parameter that is missing', async () => {
    const arrival = new Arrival(address('?STUDY_ID=s'), server([]).client)
    await arrival.start()
    expect([arrival.view, arrival.refusal, arrival.missing]).toEqual(['refused', 'no_id', 'PROLIFIC_PID'])
  })

  it('explains the address to someone who opens it with its placeholders', async () => {
    for (const placeholder of ['{{%PROLIFIC_PID%}}', '%SURVEY_CODE%', '{id}']) {
      const { client, joined } = server([token])
      const arrival = new Arrival(address(`?PROLIFIC_PID=${placeholder}`), client)
      await arrival.start()
      expect([arrival.view, arrival.placeholder, joined]).toEqual(['placeholder', placeholder, []])
    }
  })

  it('turns newcomers away from a closed link before they consent, but not those who have started', async () => {
    const { client, joined } = server([token], { ...study, open: false })
    const arrival = new Arrival(address('?PROLIFIC_PID=ann'), client)
    await arrival.start()
    expect([arrival.view, joined]).toEqual(['full', []])
    await arrival.agree()
    expect(arrival.view).toBe('joined')
    const reload = new Arrival(address('?PROLIFIC_PID=ann'), server([token], { ...study, open: false }).client)
    await reload.start()
    expect(reload.view).toBe('joined')
    const rehearsal = new Arrival(address('?preview=1'), server([], { ...study, open: false }).client)
    await rehearsal.start()
    expect(rehearsal.view).toBe('consent')
  })

  it('shows a preview of MTurk without joining', async () => {
    const { client, joined } = server([token], { ...study, platform: 'mturk', id_parameter: 'workerId' })
    const arrival = new Arrival(address('?assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE&hitId=h'), client)
    await arrival.start()
    expect([arrival.view, joined]).toEqual(['preview', []])
  })

  it('says why it is refused, and tries again after a lost connection', async () => {
    const problem = () => json({ code: 'conflict', detail: '' }, 409)
    const { client } = server([problem])
    const arrival = new Arrival(address('?PROLIFIC_PID=ann'), client)
    await arrival.start()
    await arrival.agree()
    expect([arrival.view, arrival.refusal]).toEqual(['refused', 'conflict'])
    const lost = new Arrival(address('?PROLIFIC_PID=bob'), server([]).client)
    await lost.start()
    await lost.agree()
    expect([lost.view, lost.obstacle]).toEqual(['consent', 'offline'])
    const crowded = new Arrival(address('?PROLIFIC_PID=cat'), server([() => json({ code: 'too_many_requests', detail: '' }, 429), token]).client)
    await crowded.start()
    await crowded.agree()
    expect([crowded.view, crowded.obstacle]).toEqual(['consent', 'crowded'])
    await crowded.agree()
    expect([crowded.view, crowded.obstacle]).toEqual(['joined', null])
  })
})
