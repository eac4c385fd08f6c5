// Makes requests from an OpenAPI document: valid, with one fault, or hostile.
import fc from 'fast-check'

/** Members of a forecast request; their names mean something else in other requests. */
const forecast = {
  items: fc.constantFrom(10, 200),
  classes: fc.constant(2),
  budgets: fc.constant([50, 100]),
  reliability: fc.constantFrom(0.8, '0.9'),
}

/** Members of requests about recruiting links, likewise. The link that participants use stays open to them. */
const recruiting = {
  id_parameter: fc.constant('PID'),
  session_parameter: fc.constantFrom('', 'SID'),
  capture: fc.constantFrom([], ['STUDY']),
  labels: fc.integer({ min: 1, max: 50 }),
  most_participants: fc.constant(0),
  sessions_per_id: fc.constantFrom(1, 2),
  arrivals_per_minute: fc.constant(100_000),
  codes: fc.constantFrom({}, { done: 'C1' }),
  return_url: fc.constantFrom('', 'https://panel.example.invalid/{code}'),
  qualification: fc.constantFrom({ items: 0 }, { items: 0, least_right: '0.5', feedback: true }),
  signed_arrivals: fc.constant(false),
  open: fc.constant(true),
  agree: fc.constant(true),
  parameters: fc.constantFrom({ PID: 'p1' }, { PID: 'p2', SID: 's1' }),
}

/** Members of requests that mean something else in others, by operation. */
const kSpecial = { forecast, make_recruiting: recruiting, change_recruiting: recruiting, join_study: recruiting }

/** Values that the server probably knows, by the name of a member or parameter. */
function hints(known) {
  const items = Array.from({ length: 20 }, (_, n) => `i${n}`)
  return {
    item: fc.constantFrom(...items),
    id: fc.oneof(fc.string({ minLength: 1, maxLength: 8 }), fc.constantFrom(...items)),
    worker: fc.constantFrom('ann', 'bob', 'eve'),
    label: fc.constantFrom(...known.classes),
    answer: fc.constantFrom(...known.classes),
    reviewer: fc.constantFrom('rita', 'sam'),
    address: fc.constantFrom('ann@example.org', 'Rita@example.org'),
    checks: fc.integer({ min: 1, max: 3 }),
    until: fc.constantFrom(0.5, '0.9'),
    confidence: fc.constantFrom(0.9, '0.95'),
    replace: fc.constant(true),
    agreement_sample: fc.constantFrom('2:2', '5:2'),
    gold: fc.constantFrom(...known.classes),
    truth: fc.constantFrom(...known.classes),
    classes: fc.constant(known.classes),
    campaign: fc.constantFrom(...known.campaigns.slice(0, 2)),
    owner: fc.constant(known.owner),
    budget: fc.oneof(fc.integer({ min: 500, max: 5000 }), fc.constant('1234.5')),
    price: fc.constantFrom(1, 2, '0.5'),
    count: fc.integer({ min: 1, max: 3 }),
    next: fc.integer({ min: 0, max: 2 }),
    limit: fc.integer({ min: 1, max: 1000 }),
    cursor: fc.constantFrom('0', '3', 'abc'),
    after: fc.integer({ min: 0, max: 50 }),
    format: fc.constantFrom('csv', 'jsonl', 'crowd-kit'),
    name: fc.string({ minLength: 1, maxLength: 30 }),
    url: fc.constantFrom('https://three.example.invalid/hook', 'https://four.example.invalid:8443/'),
    lease: fc.constantFrom('90s', '10m', '2h'),
    policy: fc.constantFrom('opt-kg', 'kg', 'uniform', 'label-price'),
    prior: fc.constant('beta:1,1'),
    worker_prior: fc.constantFrom('learn', 'beta:4,1'),
    stop: fc.constantFrom([], ['accuracy:0.9'], ['settled:0.99']),
    seed: fc.nat(),
    coins: fc.constantFrom(1, 2),
    refit: fc.constantFrom('off', 100),
    gold_rate: fc.constantFrom(0, 0.1),
    features: fc.constant([]),
    labels_per_item: fc.integer({ min: 1, max: 9 }),
    models: fc.constantFrom(['silent'], ['silent', 'unknown']),
    prompt: fc.constantFrom('{{text}} {{classes}}', '{{text}}'),
    labels_per_worker: fc.integer({ min: 50, max: 900 }),
    ...known.special,
  }
}

const hostileText = fc.oneof(
  fc.constantFrom('', '0', '-1', '1e309', 'null', '\u0000', '../..', "'; DROP TABLE token; --", '<b>', '{}', '%00', '\ud83d\ude00', '9'.repeat(40), 'x'.repeat(700)),
  fc.string({ unit: 'binary', maxLength: 40 }),
)

/** Values that a schema allows. */
function valid(document, schema, known, name) {
  const inner = (part, called) => valid(document, part, known, called)
  if (schema.$ref) return inner(document.components.schemas[schema.$ref.split('/').pop()], name)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  const hint = hints(known)[name]
  if (hint) return hint
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((option) => inner(option, name)))
  if (Array.isArray(schema.type)) return fc.oneof(...schema.type.map((type) => inner({ ...schema, type }, name)))
  const low = schema.minimum ?? -1e6
  const high = schema.maximum ?? 1e6
  switch (schema.type) {
    case 'string':
      return fc.string({ unit: 'grapheme', maxLength: 30 })
    case 'integer':
      return fc.integer({ min: low, max: high })
    case 'number':
      return fc.double({ min: low, max: high, noNaN: true })
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case 'array':
      return fc.array(inner(schema.items), { maxLength: 4 })
    case 'object': {
      if (!schema.properties) return fc.dictionary(fc.string({ maxLength: 10 }), inner(schema.additionalProperties ?? {}), { maxKeys: 3 })
      const members = Object.entries(schema.properties).map(([member, part]) => [member, inner(part, member)])
      return fc.record(Object.fromEntries(members), { requiredKeys: schema.required ?? [], noNullPrototype: true })
    }
    default:
      return fc.jsonValue({ maxDepth: 2 })
  }
}

/** Every place in a value, as the path of keys to it. */
function places(value, path = []) {
  const below = value !== null && typeof value === 'object' ? Object.keys(value) : []
  return [path, ...below.flatMap((key) => places(value[key], [...path, key]))]
}

/** The value with one fault: a member that is missing, of another type, or unknown. */
function spoiled(value, how, where, other) {
  const copy = structuredClone(value)
  const all = places(copy)
  const path = all[where % all.length]
  if (path.length === 0) return how === 'add' && copy !== null && typeof copy === 'object' ? { ...copy, surprise: other } : other
  const last = path.at(-1)
  const parent = path.slice(0, -1).reduce((at, key) => at[key], copy)
  if (how === 'drop' && !Array.isArray(parent)) Reflect.deleteProperty(parent, last)
  else if (how === 'add' && !Array.isArray(parent)) parent[`${last}_`] = other
  else parent[last] = other
  return copy
}

const hostileBytes = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 200 }).map((text) => Buffer.from(text)),
  fc.uint8Array({ maxLength: 100 }).map((bytes) => Buffer.from(bytes)),
  fc.constantFrom('[', '{"a":', '{"a":1,"a":2}', '\ufeff{}', '1e999', '{"budget":1e999}', '"\\ud800"', '').map((text) => Buffer.from(text)),
  fc.constantFrom('['.repeat(100_000), '{"a":'.repeat(50_000), `{"name": "${'x'.repeat(900_000)}"}`, ' '.repeat(1_200_000)).map((text) => Buffer.from(text)),
)

/** The body of a request: its bytes, and their JSON value if they are JSON. */
function bodyOf(document, operation, known) {
  const content = operation.requestBody?.content
  if (!content) return fc.constant({})
  if (!content['application/json']) {
    const table = fc.array(fc.string({ unit: 'grapheme-ascii', maxLength: 8 }), { maxLength: 5 }).map((ids) => `id,text\n${ids.map((id) => `"${id.replaceAll('"', '""')}",x\n`).join('')}`)
    const lines = fc.array(fc.record({ id: fc.string({ minLength: 1, maxLength: 8 }) }), { maxLength: 5 }).map((rows) => rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
    return fc.oneof(
      table.map((body) => ({ body, type: 'text/csv' })),
      lines.map((body) => ({ body, type: 'application/x-ndjson' })),
      fc.tuple(hostileBytes, fc.constantFrom('text/csv', 'application/x-ndjson', 'image/png')).map(([body, type]) => ({ body, type })),
    )
  }
  const type = 'application/json'
  const special = kSpecial[operation.operationId] ?? {}
  const allowed = valid(document, content[type].schema, { ...known, special })
  // An item with the worker who has leased it, for operations that only this worker can do.
  const leased = fc.tuple(fc.nat(), fc.constantFrom(...known.classes)).map(([n, label]) => {
    const lease = known.leased.at(-1 - (n % 4)) ?? { worker: 'ann', item: 'i0' }
    return operation.operationId === 'give_labels' ? { ...lease, label } : lease
  })
  const good = ['give_labels', 'skip', 'release'].includes(operation.operationId) ? fc.oneof(leased, allowed) : allowed
  const asJson = (value) => ({ body: JSON.stringify(value), type, json: value })
  const nearly = fc
    .tuple(good, fc.constantFrom('drop', 'replace', 'add'), fc.nat(), fc.oneof(fc.jsonValue({ maxDepth: 2 }), hostileText))
    .map(([value, how, where, other]) => spoiled(value, how, where, other))
  return fc.oneof(
    { weight: 5, arbitrary: good.map(asJson) },
    { weight: 4, arbitrary: nearly.map(asJson) },
    { weight: 1, arbitrary: hostileBytes.map((body) => ({ body, type })) },
  )
}

/** The path, with values for its {names} that mostly exist. */
function pathOf(operation, known) {
  // Labels go to the first campaign, which stays open; the others are paused, and closed or archived. One that is not archived
  // is not deleted.
  const [works, pauses, closes] = known.campaigns
  const only = { give_labels: works, skip: works, release: works, pause_campaign: pauses, close_campaign: closes, archive_campaign: closes, unarchive_campaign: closes, delete_campaign: pauses, change_recruiting: works, show_study: works, join_study: works }[operation.operationId]
  const likely = {
    campaign: fc.constantFrom(...(only ? [only] : known.campaigns)),
    token: fc.constantFrom(...known.tokens),
    webhook: fc.constantFrom(...known.webhooks),
    link: fc.constant(known.recruiting),
    what: fc.constantFrom(...known.whats),
  }
  // Other requests need the first webhooks, so only the last one is deleted.
  if (operation.operationId === 'delete_webhook') likely.webhook = fc.constant(known.webhooks.at(-1))
  const names = [...operation.pattern.matchAll(/\{(\w+)\}/g)].map((match) => match[1])
  const values = names.map((name) => fc.oneof({ weight: 12, arbitrary: likely[name] ?? fc.constantFrom('i0', 'i1') }, { weight: 1, arbitrary: hostileText }))
  return fc.tuple(...values).map((all) => names.reduce((text, name, n) => text.replace(`{${name}}`, encodeURIComponent(all[n].toWellFormed())), operation.pattern))
}

function queryOf(document, operation, known) {
  const parameters = (operation.parameters ?? []).filter((parameter) => parameter.in === 'query')
  const each = parameters.map((parameter) =>
    fc.option(
      fc.oneof({ weight: 4, arbitrary: valid(document, parameter.schema, known, parameter.name).map(String) }, { weight: 1, arbitrary: hostileText }).map((value) => [parameter.name, value]),
      { freq: parameter.name === 'item' ? 6 : 2 },
    ),
  )
  const surprise = hostileText.map((value) => ['surprise', value])
  const rarely = fc.nat(19).chain((n) => (n === 0 ? surprise : fc.constant(null)))
  return fc.tuple(rarely, ...each).map((all) =>
    all
      .filter((pair) => pair !== null)
      .map(([name, value]) => `${name}=${encodeURIComponent(value.toWellFormed())}`)
      .join('&'),
  )
}

/** A request for an operation: {method, target, headers, body, json}. */
export function requestOf(document, operation, known, callers) {
  const keyed = (operation.parameters ?? []).some((parameter) => parameter.in === 'header')
  const caller = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom('admin', 'requester') },
    { weight: 2, arbitrary: fc.constant('worker') },
    { weight: 1, arbitrary: fc.constantFrom('nobody', 'stranger') },
  )
  const key = keyed ? fc.option(fc.oneof(fc.constantFrom('a', 'b', 'c', 'bad key', 'x'.repeat(300)), fc.uuid())) : fc.constant(null)
  const tag = fc.constantFrom(null, null, 'last', '"0"', '*')
  return fc.record({
    target: pathOf(operation, known), query: queryOf(document, operation, known), body: bodyOf(document, operation, known), caller, key, tag,
  }).map(({ target, query, body, caller: role, key: ownKey, tag: etag }) => {
    const headers = {}
    if (callers[role]) headers.Authorization = `Bearer ${callers[role]}`
    if (body.type) headers['Content-Type'] = body.type
    if (ownKey !== null) headers['Idempotency-Key'] = ownKey
    if (etag !== null) headers['If-None-Match'] = etag === 'last' ? (known.tags.get(target) ?? '"1"') : etag
    return { method: operation.method.toUpperCase(), target: query ? `${target}?${query}` : target, headers, body: body.body, json: body.json }
  })
}
