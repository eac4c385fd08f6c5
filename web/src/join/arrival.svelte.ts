/**
 * The arrival of a participant at a recruiting link (/join/CAMPAIGN/LINK?...): first what the study is
 * about, then, once the person agrees, the token of their session. The address stays as it is, so a
 * reload leads back to the same session.
 */
import { Client, ConnectionError, path, Problem } from '../api/client.ts'
import type { Joined, Study } from '../api/types.ts'
import { settings } from '../label/link.ts'
import { parseArrival } from './address.ts'
import { type Play, prepare } from './rehearsal.ts'

export type ArrivalView = 'loading' | 'consent' | 'preview' | 'full' | 'placeholder' | 'joined' | 'refused'

/** The parameter with which a requester tries the page. */
const kRehearsal = 'preview'
/** MTurk shows a task to people who have not accepted it, under this id. */
const kNoAssignment = 'ASSIGNMENT_ID_NOT_AVAILABLE'
/** What platforms replace by an id: {{%PROLIFIC_PID%}}, %SURVEY_CODE%, {id}. */
const kPlaceholder = /^(\{.*\}|%\w+%)$/

export class Arrival {
  view = $state<ArrivalView>('loading')
  study = $state.raw<Study | null>(null)
  joined = $state.raw<Joined | null>(null)
  /** Set once a requester who tries the page has agreed. */
  play = $state.raw<Play | null>(null)
  /** The API's code for why the server refuses this person. */
  refusal = $state<string | null>(null)
  busy = $state(false)
  /** What keeps the person from going on for now: no connection, or a server that takes nobody at this moment. */
  obstacle = $state<'offline' | 'crowded' | null>(null)

  private readonly route: string
  private readonly campaign: string
  private readonly parameters: Record<string, string>
  private readonly link: string

  constructor(
    address: { pathname: string; search: string },
    private readonly client = new Client(''),
  ) {
    const { campaign, link, parameters } = parseArrival(address)
    this.route = path('join', campaign, link)
    this.campaign = campaign
    this.parameters = parameters
    this.link = link
  }

  /** The parameter that the address lacks; null if it has the participant's id. */
  get missing(): string | null {
    const name = this.study?.id_parameter ?? ''
    return this.study && !this.parameters[name] ? name : null
  }

  /** The placeholder where the participant's id should be; null if there is none. */
  get placeholder(): string | null {
    const id = this.parameters[this.study?.id_parameter ?? ''] ?? ''
    return kPlaceholder.test(id) ? id : null
  }

  /** Whether a requester tries the page: the address asks for it and names no participant. */
  get isRehearsal(): boolean {
    return this.missing !== null && kRehearsal in this.parameters
  }

  async start() {
    await this.reach(async () => {
      this.study = await this.client.get<Study>(this.route)
      if (this.study.platform === 'mturk' && this.parameters.assignmentId === kNoAssignment) this.view = 'preview'
      else if (this.placeholder !== null) this.view = 'placeholder'
      else if (this.missing !== null && !this.isRehearsal) this.refuse('no_id')
      else this.view = this.study.open || this.isRehearsal ? 'consent' : 'full'
    })
    // Someone who has agreed on this device continues at once.
    const canContinue = (this.view === 'consent' || this.view === 'full') && !this.isRehearsal
    if (canContinue && settings.get(this.setting) !== null) await this.agree()
  }

  async agree() {
    const { study } = this
    if (!study || this.busy) return
    if (this.isRehearsal) return this.rehearse()
    await this.reach(async () => {
      const wanted = [study.id_parameter, study.session_parameter, ...study.capture, 'signature']
      const parameters = Object.fromEntries(Object.entries(this.parameters).filter(([name]) => wanted.includes(name)))
      this.joined = await this.client.post<Joined>(this.route, { agree: true, parameters })
      settings.set(this.setting, 'yes')
      this.view = 'joined'
    })
  }

  private async rehearse() {
    await this.reach(async () => {
      try {
        this.play = await prepare(this.campaign, this.link)
        this.view = 'joined'
      } catch (error) {
        if (error instanceof ConnectionError) throw error
        this.refuse('rehearsal')
      }
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
      this.obstacle = null
    } catch (error) {
      if (error instanceof Problem && !error.isTemporary) this.refuse(error.code)
      else if (error instanceof Problem) this.obstacle = error.status === 429 ? 'crowded' : 'offline'
      else if (error instanceof ConnectionError) this.obstacle = 'offline'
      else throw error
    } finally {
      this.busy = false
    }
  }
}
