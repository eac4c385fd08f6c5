import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { EventNumbers, kSilence, Live, type LiveTools } from './live.ts'

describe('EventNumbers', () => {
  it('finds the numbers however the stream is cut', () => {
    const stream = ': still here\n\nid: 7\nevent: label\ndata: {"id": 3}\n\nid: 8\nevent: lease\ndata: {}\n\n'
    fc.assert(
      fc.property(fc.array(fc.nat(stream.length), { maxLength: 6 }), (cuts) => {
        const places = [0, ...cuts.sort((a, b) => a - b), stream.length]
        const numbers = new EventNumbers()
        const found = places.slice(1).flatMap((end, n) => numbers.take(stream.slice(places[n], end)))
        expect(found).toEqual([7, 8])
      }),
    )
  })
})

/** A server that answers as told, and a clock that runs when told. */
class World implements LiveTools {
  asked: string[] = []
  timers: { at: number; then: () => void; gone: boolean }[] = []
  time = 0
  /** What is next: a stream to write to, or a refusal. */
  streams: ReadableStreamDefaultController<Uint8Array>[] = []
  refuse = false

  fetch: typeof fetch = (address, options) => {
    this.asked.push(String(address))
    if (this.refuse) return Promise.reject(new TypeError('no network'))
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.streams.push(controller)
        options?.signal?.addEventListener('abort', () => controller.error(new Error('aborted')))
      },
    })
    return Promise.resolve(new Response(body))
  }
  wait(milliseconds: number, then: () => void) {
    const timer = { at: this.time + milliseconds, then, gone: false }
    this.timers.push(timer)
    return () => {
      timer.gone = true
    }
  }
  random = () => 1

  async pass(milliseconds: number) {
    const end = this.time + milliseconds
    for (;;) {
      const next = this.timers.filter((one) => !one.gone && one.at <= end).sort((a, b) => a.at - b.at)[0]
      if (!next) break
      this.time = next.at
      next.gone = true
      next.then()
      await settle()
    }
    this.time = end
    await settle()
  }
  send(text: string) {
    this.streams.at(-1)?.enqueue(new TextEncoder().encode(text))
    return settle()
  }
  end() {
    this.streams.at(-1)?.close()
    return settle()
  }
}

const settle = () => new Promise((done) => setTimeout(done))

function watched(world: World, after = 5) {
  const changes: (number | null)[] = []
  const states: boolean[] = []
  const live = new Live(
    'c 1',
    'allot_x',
    after,
    (event) => changes.push(event),
    (is) => states.push(is),
    world,
  )
  return { live, changes, states }
}

describe('Live', () => {
  it('tells of events, and goes on after the last one when the stream ends', async () => {
    const world = new World()
    const { live, changes, states } = watched(world)
    live.start()
    await settle()
    expect(world.asked).toEqual(['/api/v1/campaigns/c%201/events/live?after=5'])
    await world.send('id: 6\nevent: lease\ndata: {}\n\nid: 7\nevent: label\ndata: {}\n\n')
    expect(changes).toEqual([7])
    await world.end()
    expect(states).toEqual([true, false])
    await world.pass(1000)
    expect(world.asked[1]).toBe('/api/v1/campaigns/c%201/events/live?after=7')
    expect(states).toEqual([true, false, true])
    // What was missed while there was no stream is unknown.
    expect(changes).toEqual([7, null])
    live.stop()
  })

  it('tries again with longer and longer pauses, 15 seconds at most', async () => {
    const world = new World()
    world.refuse = true
    const { live } = watched(world)
    live.start()
    await settle()
    const times: number[] = []
    for (let n = 0; n < 8; ++n) {
      const before = world.asked.length
      while (world.asked.length === before) await world.pass(100)
      times.push(world.time)
    }
    const pauses = times.slice(1).map((time, n) => time - (times[n] ?? 0))
    expect(pauses.slice(0, 4)).toEqual([1000, 2000, 4000, 8000])
    expect(Math.max(...pauses)).toBe(15_000)
    live.stop()
  })

  it('opens the stream again when nothing was heard for long', async () => {
    const world = new World()
    const { live } = watched(world)
    live.start()
    await settle()
    await world.pass(kSilence - 1)
    await world.send(': still here\n\n')
    await world.pass(kSilence - 1)
    expect(world.asked.length).toBe(1)
    await world.pass(2000)
    expect(world.asked.length).toBe(2)
    live.stop()
  })

  it('asks nothing after it was stopped', async () => {
    const world = new World()
    const { live, states } = watched(world)
    live.start()
    await settle()
    live.stop()
    await world.pass(120_000)
    expect(world.asked.length).toBe(1)
    expect(states).toEqual([true])
    live.start()
    await settle()
    expect(world.asked.length).toBe(2)
    live.stop()
  })
})
