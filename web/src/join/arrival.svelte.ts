/**
 * The arrival of a participant at a recruiting link (/join/CAMPAIGN/LINK?...): first what the study is
 * about, then, once the person agrees, the token of their session. The address stays as it is, so a
 * reload leads back to the same session.
 */
import { Client, ConnectionError, path, Problem } from '../api/client.ts'
import type { Joined, Study } from '../api/types.ts'
import { settings } from '../label/link.ts'
import { parseArrival } from './address.ts'

export type ArrivalView = 'loading' | 'consent' | 'preview' | 'joined' | 'refused'

/** MTurk shows a task to people who have not accepted it, under this id. */
const kNoAssignment = 'ASSIGNMENT_ID_NOT_AVAILABLE'

export class Arrival {
  view = $state<ArrivalView>('loading')
  study = $state.raw<Study | null>(null)
  joined = $state.raw<Joined | null>(null)
  /** The API's code for why the server refuses this person. */
  refusal = $state<string | null>(null)
  busy = $state(false)
  offline = $state(false)

  private readonly route: string
  private readonly parameters: Record<string, string>
  private readonly link: string

  constructor(
    address: { pathname: string; search: string },
    private readonly client = new Client(''),
  ) {
    const { campaign, link, parameters } = parseArrival(address)
    this.route = path('join', campaign, link)
    this.parameters = parameters
    this.link = link
  }

  /** The parameter that the address lacks; null if it has the participant's id. */
  get missing(): string | null {
    const name = this.study?.id_parameter ?? ''
    return this.study && !this.parameters[name] ? name : null
  }

  async start() {
    await this.reach(async () => {
      this.study = await this.client.get<Study>(this.route)
      if (this.study.platform === 'mturk' && this.parameters.assignmentId === kNoAssignment) this.view = 'preview'
      else if (this.missing !== null) this.refuse('no_id')
      else this.view = 'consent'
    })
    // Someone who has agreed on this device continues at once.
    if (this.view === 'consent' && settings.get(this.setting) !== null) await this.agree()
  }

  async agree() {
    const { study } = this
    if (!study || this.busy) return
    await this.reach(async () => {
      const wanted = [study.id_parameter, study.session_parameter, ...study.capture, 'signature']
      const parameters = Object.fromEntries(Object.entries(this.parameters).filter(([name]) => wanted.includes(name)))
      this.joined = await this.client.post<Joined>(this.route, { agree: true, parameters })
      settings.set(this.setting, 'yes')
      this.view = 'joined'
    })
  }

  /** Remembers consent by link and participant. */
  private get setting() {
    return `allot.agreed.${this.link}.${this.parameters[this.study?.id_parameter ?? ''] ?? ''}`
  }

  private refuse(code: string) {
    this.refusal = code
    this.view = 'refused'
  }

  private async reach(work: () => Promise<void>) {
    this.busy = true
    try {
      await work()
      this.offline = false
    } catch (error) {
      if (error instanceof Problem && !error.isTemporary) this.refuse(error.code)
      else if (error instanceof Problem || error instanceof ConnectionError) this.offline = true
      else throw error
    } finally {
      this.busy = false
    }
  }
}
