/**
 * Requests to the server. A refusal (problem+json) becomes a Problem with its code. A lost connection
 * becomes a ConnectionError: the server may or may not have received the request, so the caller
 * repeats it under the same key.
 */
import { common } from '../texts/common.ts'

export class Problem extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    detail: string,
    /** Seconds to wait before the next attempt, if the server named a time. */
    readonly retryAfter: number | null = null,
  ) {
    super(detail)
    this.name = 'Problem'
  }

  /** Whether the same request can succeed later. */
  get isTemporary() {
    return this.status >= 500 || this.status === 429
  }
}

export class ConnectionError extends Error {
  constructor() {
    super(common.offline)
    this.name = 'ConnectionError'
  }
}

export interface Options {
  /** Idempotency-Key: the server performs a request once per key. */
  key?: string
  query?: Record<string, string | number | boolean | undefined>
  signal?: AbortSignal
  /** Milliseconds to wait for a reply. */
  timeout?: number
  /** A body to send unchanged, with the content type `type`; other bodies are sent as JSON. */
  raw?: Blob | string
  type?: string
  /** 'no-cache' checks the browser's copy with the server; by default the browser keeps none. */
  cache?: RequestCache
}

export interface Reply<T> {
  status: number
  body: T
  headers: Headers
}

export type Fetch = typeof fetch

const kTimeout = 20_000

/** Stands for a person who signed in with an account instead of a token: the browser has a cookie. */
export const accountToken = (person: string) => `account ${person}`

/** How a request says who sends it: by the token, or by the cookie of an account. */
export function callerOf(token: string): { headers: Record<string, string>; credentials: RequestCredentials } {
  if (token.startsWith('account ')) return { headers: {}, credentials: 'same-origin' }
  return { headers: { Authorization: `Bearer ${token}` }, credentials: 'omit' }
}

export class Client {
  /** Milliseconds by which the server's clock is ahead of this one, from the Date header. */
  clockAhead = 0

  constructor(
    readonly token: string,
    private readonly fetcher: Fetch = (...words) => fetch(...words),
    private readonly base = '',
  ) {}

  get<T>(path: string, options: Options = {}) {
    return this.request<T>('GET', path, undefined, options)
  }
  post<T>(path: string, body: unknown = {}, options: Options = {}) {
    return this.request<T>('POST', path, body, options)
  }
  put<T>(path: string, body: unknown = {}, options: Options = {}) {
    return this.request<T>('PUT', path, body, options)
  }
  patch<T>(path: string, body: unknown = {}, options: Options = {}) {
    return this.request<T>('PATCH', path, body, options)
  }
  delete<T>(path: string, options: Options = {}) {
    return this.request<T>('DELETE', path, undefined, options)
  }

  /** The server's current time. */
  now() {
    return Date.now() + this.clockAhead
  }

  async request<T>(method: string, path: string, body: unknown, options: Options = {}): Promise<T> {
    return (await this.send<T>(method, path, body, options)).body
  }

  /** Makes a request and returns the reply with its headers, for callers that need the ETag. */
  async send<T>(method: string, path: string, body: unknown, options: Options = {}): Promise<Reply<T>> {
    const response = await this.open(method, path, body, options)
    const type = response.headers.get('Content-Type') ?? ''
    const isJson = /^application\/([a-z]+\+)?json/.test(type)
    let read: unknown
    try {
      read = response.status === 204 ? null : isJson ? await response.json() : await response.text()
    } catch {
      throw new ConnectionError()
    }
    if (!response.ok) throw problemFrom(response, read)
    return { status: response.status, body: read as T, headers: response.headers }
  }

  /** Returns the raw response, for streams and files. Throws only if there is no response. */
  async open(method: string, path: string, body: unknown, options: Options = {}): Promise<Response> {
    const { headers, credentials } = callerOf(this.token)
    if (options.key !== undefined) headers['Idempotency-Key'] = options.key
    const init: RequestInit = { method, headers, cache: options.cache ?? 'no-store', credentials }
    if (options.raw !== undefined) {
      init.body = options.raw
      headers['Content-Type'] = options.type ?? 'application/octet-stream'
    } else if (body !== undefined) {
      init.body = JSON.stringify(body)
      headers['Content-Type'] = 'application/json'
    }
    const timeout = AbortSignal.timeout(options.timeout ?? kTimeout)
    init.signal = options.signal ? AbortSignal.any([options.signal, timeout]) : timeout
    try {
      const response = await this.fetcher(this.base + path + queryText(options.query), init)
      const date = Date.parse(response.headers.get('Date') ?? '')
      // The header has whole seconds: on average, half a second is missing.
      if (!Number.isNaN(date)) this.clockAhead = date + 500 - Date.now()
      return response
    } catch (error) {
      if (options.signal?.aborted) throw error
      throw new ConnectionError()
    }
  }
}

/** Makes a Problem from a refusal; `read` is its body. */
export function problemFrom(response: Response, read: unknown): Problem {
  const body = (typeof read === 'object' && read !== null ? read : {}) as Record<string, unknown>
  const after = Number(response.headers.get('Retry-After') ?? NaN)
  return new Problem(
    response.status,
    typeof body.code === 'string' ? body.code : 'unknown',
    typeof body.detail === 'string' ? body.detail : common.unexpectedStatus(response.status),
    Number.isFinite(after) ? after : null,
  )
}

function queryText(query: Options['query']) {
  const parts = Object.entries(query ?? {}).filter(([, value]) => value !== undefined && value !== '')
  if (!parts.length) return ''
  return '?' + new URLSearchParams(parts.map(([name, value]) => [name, String(value)])).toString()
}

/** Joins parts to "/api/v1/campaigns/ID/labels" and escapes each of them. */
export function path(...parts: string[]) {
  return '/api/v1' + parts.map((part) => '/' + encodeURIComponent(part)).join('')
}
