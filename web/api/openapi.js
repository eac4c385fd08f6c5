// Tests the API against its own document with third-party tools. The script validates /openapi.json and sends
// thousands of requests made from it (valid, nearly valid and hostile) to a real `allot serve`. Every reply must
// have a status, type and shape that the document lists, and never be a 500. The server must refuse bodies that
// the document does not allow. Every operation must succeed at least once.
//   ALLOT_PROGRAM=build/release/allot scripts/node web/api/openapi.js [REQUESTS [SEED]]
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import http from 'node:http'
import net from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'

import { Validator } from '@seriousme/openapi-schema-validator'
import Ajv from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import fc from 'fast-check'

import { requestOf } from './requests.js'

const requests = Number(process.argv[2] ?? (process.env.ALLOT_STRESS ? 100_000 : 4000))
const seed = Number(process.argv[3] ?? 20261115)
const folder = await mkdtemp(path.join(tmpdir(), 'allot-openapi-'))
const log = path.join(folder, 'log')
// A model that never replies, so that its run goes on until it is stopped.
const silent = net.createServer(() => undefined).listen(0, '127.0.0.1')
await new Promise((resolve) => silent.once('listening', resolve))
silent.unref()
const models = path.join(folder, 'models.toml')
await writeFile(models, `[[endpoint]]\nname = "a"\nurl = "http://127.0.0.1:${silent.address().port}/v1"\nat-once = 1\nmodels = { silent = "1" }\n`)
const server = spawn(
  process.env.ALLOT_PROGRAM ?? 'allot',
  [
    ['serve', '--data', path.join(folder, 'data'), '--listen', '127.0.0.1:0', '--log', log],
    ['--rate', '1000000000', '--burst', '1000000000', '--models', models],
    ['--proxy-header', 'X-Forwarded-Email', '--trusted-proxies', '192.0.2.1', '--sign-in-workers', '*'],
  ].flat(),
  { stdio: ['ignore', 'pipe', 'inherit'] },
)
process.on('exit', () => {
  server.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1))

/** Waits until the server listens; returns its port and the admin's token. */
async function started() {
  let output = ''
  for await (const piece of server.stdout.setEncoding('utf8')) {
    output += piece
    const address = /Listening on http:\/\/127\.0\.0\.1:(\d+)/.exec(output)
    if (address) return { port: Number(address[1]), admin: /allot_\w+/.exec(output)[0] }
  }
  throw new Error(`allot serve did not start: ${output}`)
}

const { port, admin } = await started()
const agent = new http.Agent({ keepAlive: true, maxSockets: 8 })

/** Sends a request and returns the reply; of an endless stream, only the first piece. */
function ask({ method, target, headers = {}, body, endless = false }) {
  return new Promise((resolve, reject) => {
    const sent = http.request({ host: '127.0.0.1', port, agent, method, path: target, headers }, (answer) => {
      const pieces = []
      const done = () =>
        resolve({ status: answer.statusCode, headers: answer.headers, body: Buffer.concat(pieces).toString('utf8') })
      answer.on('data', (piece) => {
        pieces.push(piece)
        if (endless && answer.statusCode === 200) {
          done()
          sent.destroy()
        }
      })
      answer.on('end', done)
      answer.on('error', (error) => (endless ? done() : reject(error)))
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

async function askSuccessfully(method, target, token, body) {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
  const answer = await ask({ method, target, headers, body: body && JSON.stringify(body) })
  assert.ok(answer.status < 300, `${method} ${target}: ${answer.body}`)
  return answer.body ? JSON.parse(answer.body) : undefined
}

// --- The document ---

const document = JSON.parse((await ask({ method: 'GET', target: '/openapi.json' })).body)
const validation = await new Validator().validate(structuredClone(document))
assert.ok(validation.valid, JSON.stringify(validation.errors, null, 1))
const broken = structuredClone(document)
delete broken.paths['/healthz'].get.responses['200'].description
assert.ok(!(await new Validator().validate(broken)).valid, 'the validator accepts anything')

const ajv = new Ajv({ strict: false, allErrors: false })
addFormats(ajv)
ajv.addSchema({ $id: 'api', ...document })
const compiled = new Map()

/** Checks a value against the schema at a place in the document; returns the errors, or an empty text. */
function schemaErrors(pointer, value) {
  if (!compiled.has(pointer)) compiled.set(pointer, ajv.compile({ $ref: `api#${pointer}` }))
  const check = compiled.get(pointer)
  return check(value) ? '' : ajv.errorsText(check.errors)
}

const step = (name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
const place = (...names) => names.map((name) => encodeURIComponent(step(name)).replaceAll('%2F', '/')).join('')

const operations = Object.entries(document.paths).flatMap(([pattern, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ pattern, method, ...operation })),
)
assert.equal(new Set(operations.map(({ operationId }) => operationId)).size, operations.length)

// --- Content of the server ---

const { token: owner, secret: requester } = await askSuccessfully('POST', '/api/v1/tokens', admin, { role: 'requester' })
const classes = ['no', 'yes']
const campaigns = []
for (const name of ['open', 'small', 'to be closed']) {
  const made = await askSuccessfully('POST', '/api/v1/campaigns', requester, { name, classes, budget: 1000, labels_per_item: 3 })
  campaigns.push(made.id)
  const items = Array.from({ length: 20 }, (_, n) => ({ id: `i${n}`, fields: { text: `text ${n}` }, price: 1 + (n % 2) }))
  await askSuccessfully('POST', `/api/v1/campaigns/${made.id}/items`, requester, { items })
}
const link = await askSuccessfully('POST', `/api/v1/campaigns/${campaigns[0]}/links`, requester, { worker: 'ann' })
const known = { campaigns, classes, owner: owner.id, tokens: [], webhooks: [], leased: [], tags: new Map(), whats: ['labels', 'answers', 'workers', 'events', 'probabilities', 'sessions', 'bonuses'] }
const terms = { platform: 'panel', id_parameter: 'PID', arrivals_per_minute: 100_000 }
known.recruiting = (await askSuccessfully('POST', `/api/v1/campaigns/${campaigns[0]}/recruiting`, requester, terms)).id
for (let n = 0; n < 40; ++n) {
  known.tokens.push((await askSuccessfully('POST', '/api/v1/tokens', admin, { role: 'requester' })).token.id)
}
for (const url of ['https://one.example.invalid/', 'https://two.example.invalid/']) {
  const hook = await askSuccessfully('POST', `/api/v1/campaigns/${campaigns[0]}/webhooks`, requester, { url, events: ['campaign.closed'] })
  known.webhooks.push(hook.webhook.id)
}
const callers = { admin, requester, worker: link.secret, nobody: undefined, stranger: 'allot_0123' }

// --- Requests ---

const seen = new Map()
const succeeded = new Set()

/** Checks that the document lists this reply for the operation. */
function check(operation, request, answer) {
  const what = `${request.method} ${request.target} ${String(request.body ?? '').slice(0, 300)} -> ${answer.status} ${answer.body.slice(0, 300)}`
  assert.ok(answer.status < 500, what)
  seen.set(answer.status, (seen.get(answer.status) ?? 0) + 1)
  const listed = operation.responses[String(answer.status)] ? String(answer.status) : 'default'
  if (answer.status < 400) assert.notEqual(listed, 'default', `unlisted status: ${what}`)
  const at = ['paths', operation.pattern, operation.method, 'responses', listed]
  const response = operation.responses[listed].$ref
    ? document.components.responses[operation.responses[listed].$ref.split('/').pop()]
    : operation.responses[listed]
  if (operation.responses[listed].$ref) at.splice(0, at.length, 'components', 'responses', 'Problem')
  if (!response.content) {
    assert.equal(answer.body, '', what)
  } else {
    const type = answer.headers['content-type']
    assert.ok(response.content[type], `unlisted type ${type}: ${what}`)
    const value = /[/+]json$/.test(type) ? JSON.parse(answer.body) : answer.body
    assert.equal(schemaErrors(place(...at, 'content', type, 'schema'), value), '', what)
    if (answer.status >= 400) assert.equal(value.status, answer.status, what)
  }
  if (answer.status < 300) succeeded.add(operation.operationId)
}

/** Removes null members, which the server treats as absent. */
function withoutNulls(value) {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (value === null || typeof value !== 'object') return value
  const members = Object.entries(value).filter(([, member]) => member !== null)
  return Object.fromEntries(members.map(([name, member]) => [name, withoutNulls(member)]))
}

/** Checks that the server refused a body that the document does not allow. */
function checkRefused(operation, request, answer) {
  if (request.json === undefined || !operation.requestBody?.content['application/json'] || answer.status >= 300) return
  const pointer = place('paths', operation.pattern, operation.method, 'requestBody', 'content', 'application/json', 'schema')
  const errors = schemaErrors(pointer, withoutNulls(request.json))
  assert.equal(errors, '', `accepted: ${request.method} ${request.target} ${request.body}`)
}

/** The items that a reply leased, with their workers. */
function leasedItems(operation, request, answer) {
  const asks = operation.operationId === 'ask' || operation.operationId === 'ask_whom'
  if (!asks || !request.target.includes(known.campaigns[0])) return []
  const { worker = request.json?.worker ?? 'ann', assignments } = JSON.parse(answer.body)
  return assignments.map(({ item }) => ({ worker, item }))
}

const any = fc.constantFrom(...operations).chain((operation) =>
  requestOf(document, operation, known, callers).map((request) => ({ operation, request })),
)
/** Sends a request that must succeed, and checks its reply. A text is CSV. */
async function succeed(id, target, token, body) {
  const operation = operations.find(({ operationId }) => operationId === id)
  const isText = typeof body === 'string'
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': isText ? 'text/csv' : 'application/json' }
  const sent = body && !isText ? JSON.stringify(body) : body
  const request = { method: operation.method.toUpperCase(), target: `/api/v1/${target}`, headers, body: sent }
  const answer = await ask(request)
  check(operation, request, answer)
  assert.ok(succeeded.has(id), `${id}: ${answer.body}`)
  return answer.body ? JSON.parse(answer.body) : undefined
}

// Operations that generated requests seldom get right succeed at least once: those with many conditions,
await succeed('make_token', 'tokens', admin, { role: 'monitor' })
const { id: doomed } = await succeed('create_campaign', 'campaigns', requester, { name: 'to be deleted', classes, budget: 1 })
await succeed('add_items', `campaigns/${doomed}/items`, requester, { items: [{ id: 'i0' }] })
await succeed('archive_campaign', `campaigns/${doomed}/archive`, requester)
await succeed('delete_campaign', `campaigns/${doomed}`, requester)
// those that need a leased item,
const first = `campaigns/${campaigns[0]}`
for (const [id, step, more] of [['release', 'release', {}], ['skip', 'skip', {}], ['give_labels', 'labels', { label: 'yes', next: 1 }]]) {
  const { assignments } = await succeed('ask', `${first}/assignments`, requester, { worker: 'bob' })
  await succeed(id, `${first}/${step}`, requester, { worker: 'bob', item: assignments[0].item, ...more })
}
// and those of reviewers, which need a labelled item.
const labelled = (await askSuccessfully('GET', `/api/v1/${first}/review`, requester)).items[0].item
await succeed('give_verdicts', `${first}/verdicts`, requester, { reviewer: 'rita', item: labelled, answer: 'no' })
await succeed('undo_verdict', `${first}/verdicts/undo`, requester, { reviewer: 'rita', item: labelled })
await succeed('start_audit', `${first}/audits`, requester, { checks: 1 })
await succeed('upload_items', `campaigns/${campaigns[1]}/items/upload`, requester, 'id,text\nu0,some text\n')
// Models label until they are stopped.
await succeed('start_models', `${first}/models/start`, requester, { models: ['silent'], prompt: '{{text}} {{classes}}' })
await succeed('stop_models', `${first}/models/stop`, requester)

let count = 0
await fc.assert(
  fc.asyncProperty(any, async ({ operation, request }) => {
    ++count
    const answer = await ask({ ...request, endless: operation.operationId === 'live_events' })
    check(operation, request, answer)
    if (answer.headers.etag) known.tags.set(request.target.split('?')[0], answer.headers.etag)
    if (answer.status === 200) known.leased.push(...leasedItems(operation, request, answer))
    checkRefused(operation, request, answer)
  }),
  { numRuns: requests, seed, verbose: 0, interruptAfterTimeLimit: 240_000 },
)
// A slow machine may not send all requests; then only the replies that came are checked.
for (const operation of count < requests ? [] : operations) {
  assert.ok(succeeded.has(operation.operationId), `${operation.operationId} never succeeded in ${count} requests`)
}
for (const status of count < requests ? [200, 400] : [200, 201, 202, 204, 304, 400, 401, 403, 404, 409, 413, 415, 422]) {
  assert.ok(seen.get(status) > 0, `no reply had status ${status}: ${JSON.stringify([...seen])}`)
}

// --- Bytes that are not requests ---

/** Sends raw bytes and returns the whole reply. */
function sendBytes(bytes) {
  return new Promise((resolve) => {
    const pieces = []
    const socket = net.connect(port, '127.0.0.1', () => socket.end(bytes))
    socket.on('data', (piece) => pieces.push(piece))
    socket.on('error', () => resolve(Buffer.concat(pieces).toString('latin1')))
    socket.on('close', () => resolve(Buffer.concat(pieces).toString('latin1')))
  })
}

const head = `POST /api/v1/campaigns HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${requester}\r\nContent-Length: 2\r\n\r\n{}`
const damaged = fc
  .tuple(fc.array(fc.tuple(fc.nat(head.length), fc.nat(255)), { minLength: 1, maxLength: 4 }), fc.boolean())
  .map(([changes, cut]) => {
    const bytes = Buffer.from(head, 'latin1')
    for (const [at, byte] of changes) if (at < bytes.length) bytes[at] = byte
    return cut ? bytes.subarray(0, changes[0][0]) : bytes
  })
let refused = 0
await fc.assert(
  fc.asyncProperty(damaged, async (bytes) => {
    const answer = await sendBytes(bytes)
    if (answer === '') return
    assert.match(answer, /^HTTP\/1\.1 (2\d\d|4\d\d|501|505) /)
    const end = answer.indexOf('\r\n\r\n')
    const [, size] = /content-length: (\d+)/i.exec(answer.slice(0, end))
    const body = Buffer.from(answer.slice(end + 4, end + 4 + Number(size)), 'latin1').toString('utf8')
    if (Number(answer.slice(9, 12)) < 400) return
    ++refused
    assert.match(answer.slice(0, end), /content-type: application\/problem\+json/i)
    assert.equal(schemaErrors('/components/schemas/Problem', JSON.parse(body)), '', answer)
  }),
  { numRuns: Math.ceil(requests / 8), seed, interruptAfterTimeLimit: 60_000 },
)
assert.ok(refused > 0)

assert.equal((await ask({ method: 'GET', target: '/healthz' })).status, 200)
agent.destroy()
server.kill('SIGTERM')
const [code] = await new Promise((resolve) => server.on('exit', (...how) => resolve(how)))
assert.equal(code, 0)
const errors = (await readFile(log, 'utf8')).split('\n').filter((line) => line.includes('"level": "error"'))
assert.deepEqual(errors, [])
console.log(`${operations.length} operations, ${count} requests, replies: ${[...seen].sort((a, b) => a[0] - b[0]).map(([s, n]) => `${s}: ${n}`).join(', ')}`)
