/**
 * Requests to the server. A refusal (problem+json) becomes a Problem with its code; a server that
 * cannot be reached becomes Unreachable, and what was asked may then have happened or not: repeat it
 * with the same key.
 */
import { texts } from '../texts.ts'

export class Problem extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    detail: string,
    /** Seconds, where the server says when to come again. */
    readonly retryAfter: number | null = null,
  ) {
    super(detail)
    this.name = 'Problem'
  }

  /** Whether the same request may go well later. */
  get passing() {
    return this.status >= 500 || this.status === 429
  }
}

export class Unreachable extends Error {
  constructor() {
    super(texts.common.offline)
    this.name = 'Unreachable'
  }
}

export interface Options {
  /** Idempotency-Key: the same request under the same key happens once. */
  key?: string
  query?: Record<string, string | number | boolean | undefined>
  signal?: AbortSignal
  /** Milliseconds until an answer is no longer waited for. */
  timeout?: number
  /** Sent as it is, with `type`; otherwise a body is JSON. */
  raw?: Blob | string
  type?: string
  /** 'no-cache' asks whether what the browser kept is still right; nothing is kept if not given. */
  cache?: RequestCache
}

export interface Answer<T> {
  status: number
  body: T
  headers: Headers
}

export type Fetch = typeof fetch

const kTimeout = 20_000

export class Client {
  /** How far the server's clock is ahead of this one, in milliseconds; from its Date field. */
  clockAhead = 0

  constructor(
    readonly token: string,
    private readonly fetching: Fetch = (...all) => fetch(...all),
    private readonly base = '',
  ) {}

  get<T>(path: string, options: Options = {}) {
    return this.ask<T>('GET', path, undefined, options)
  }
  post<T>(path: string, body: unknown = {}, options: Options = {}) {
    return this.ask<T>('POST', path, body, options)
  }
  put<T>(path: string, body: unknown = {}, options: Options = {}) {
    return this.ask<T>('PUT', path, body, options)
  }
  patch<T>(path: string, body: unknown = {}, options: Options = {}) {
    return this.ask<T>('PATCH', path, body, options)
  }
  delete<T>(path: string, options: Options = {}) {
    return this.ask<T>('DELETE', path, undefined, options)
  }

  /** The server's time now. */
  now() {
    return Date.now() + this.clockAhead
  }

  async ask<T>(method: string, path: string, body: unknown, options: Options = {}): Promise<T> {
    return (await this.send<T>(method, path, body, options)).body
  }

  /** The answer with its head, for those who want its ETag. */
  async send<T>(method: string, path: string, body: unknown, options: Options = {}): Promise<Answer<T>> {
    const response = await this.open(method, path, body, options)
    const type = response.headers.get('Content-Type') ?? ''
    const isJson = /^application\/([a-z]+\+)?json/.test(type)
    let read: unknown
    try {
      read = response.status === 204 ? null : isJson ? await response.json() : await response.text()
    } catch {
      throw new Unreachable()
    }
    if (!response.ok) throw problemOf(response, read)
    return { status: response.status, body: read as T, headers: response.headers }
  }

  /** The bare response, for streams and files. Throws only if there is none. */
  async open(method: string, path: string, body: unknown, options: Options = {}): Promise<Response> {
    const headers: Record<string, string> = { Authorization: `Bearer ${this.token}` }
    if (options.key !== undefined) headers['Idempotency-Key'] = options.key
    const init: RequestInit = { method, headers, cache: options.cache ?? 'no-store', credentials: 'omit' }
    if (options.raw !== undefined) {
      init.body = options.raw
      headers['Content-Type'] = options.type ?? 'application/octet-stream'
    } else if (body !== undefined) {
      init.body = JSON.stringify(body)
      headers['Content-Type'] = 'application/json'
    }
    const patience = AbortSignal.timeout(options.timeout ?? kTimeout)
    init.signal = options.signal ? AbortSignal.any([options.signal, patience]) : patience
    try {
      const response = await this.fetching(this.base + path + queryText(options.query), init)
      const date = Date.parse(response.headers.get('Date') ?? '')
      // The field has whole seconds: on average half of one is missing.
      if (!Number.isNaN(date)) this.clockAhead = date + 500 - Date.now()
      return response
    } catch (error) {
      if (options.signal?.aborted) throw error
      throw new Unreachable()
    }
  }
}

/** What a refusal says; `read` is its body. */
export function problemOf(response: Response, read: unknown): Problem {
  const said = (typeof read === 'object' && read !== null ? read : {}) as Record<string, unknown>
  const after = Number(response.headers.get('Retry-After') ?? NaN)
  return new Problem(
    response.status,
    typeof said.code === 'string' ? said.code : 'unknown',
    typeof said.detail === 'string' ? said.detail : texts.common.notOurs(response.status),
    Number.isFinite(after) ? after : null,
  )
}

function queryText(query: Options['query']) {
  const parts = Object.entries(query ?? {}).filter(([, value]) => value !== undefined && value !== '')
  if (!parts.length) return ''
  return '?' + new URLSearchParams(parts.map(([name, value]) => [name, String(value)])).toString()
}

/** "/api/v1/campaigns/ID/labels" with what is between slashes made safe. */
export function path(...parts: string[]) {
  return '/api/v1' + parts.map((one) => '/' + encodeURIComponent(one)).join('')
}
