import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { EventNumbers, kSilence, EventStream, type StreamTools } from './event_stream.ts'

describe('EventNumbers', () => {
  it('finds the numbers wherever the stream is cut', () => {
    const content = ': still here\n\nid: 7\nevent: label\ndata: {"id": 3}\n\nid: 8\nevent: lease\ndata: {}\n\n'
    fc.assert(
      fc.property(fc.array(fc.nat(content.length), { maxLength: 6 }), (cuts) => {
        const places = [0, ...cuts.sort((a, b) => a - b), content.length]
        const numbers = new EventNumbers()
        const found = places.slice(1).flatMap((end, n) => numbers.take(content.slice(places[n], end)))
        expect(found).toEqual([7, 8])
      }),
    )
  })
})

/** A server and a clock that the test controls. */
class FakeWorld implements StreamTools {
  asked: string[] = []
  timers: { at: number; then: () => void; gone: boolean }[] = []
  time = 0
  /** Open streams to write to. */
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
      const next = this.timers.filter((timer) => !timer.gone && timer.at <= end).sort((a, b) => a.at - b.at)[0]
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

function openStream(world: FakeWorld, after = 5) {
  const changes: (number | null)[] = []
  const states: boolean[] = []
  const stream = new EventStream(
    'c 1',
    'allot_x',
    after,
    (event) => changes.push(event),
    (connected) => states.push(connected),
    world,
  )
  return { stream, changes, states }
}

describe('EventStream', () => {
  it('reports events, and continues after the last one when the stream ends', async () => {
    const world = new FakeWorld()
    const { stream, changes, states } = openStream(world)
    stream.start()
    await settle()
    expect(world.asked).toEqual(['/api/v1/campaigns/c%201/events/live?after=5'])
    await world.send('id: 6\nevent: lease\ndata: {}\n\nid: 7\nevent: label\ndata: {}\n\n')
    expect(changes).toEqual([7])
    await world.end()
    expect(states).toEqual([true, false])
    await world.pass(1000)
    expect(world.asked[1]).toBe('/api/v1/campaigns/c%201/events/live?after=7')
    expect(states).toEqual([true, false, true])
    // Events may have been missed while there was no stream.
    expect(changes).toEqual([7, null])
    stream.stop()
  })

  it('retries with growing delays of at most 15 seconds', async () => {
    const world = new FakeWorld()
    world.refuse = true
    const { stream } = openStream(world)
    stream.start()
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
    stream.stop()
  })

  it('opens the stream again after a long silence', async () => {
    const world = new FakeWorld()
    const { stream } = openStream(world)
    stream.start()
    await settle()
    await world.pass(kSilence - 1)
    await world.send(': still here\n\n')
    await world.pass(kSilence - 1)
    expect(world.asked.length).toBe(1)
    await world.pass(2000)
    expect(world.asked.length).toBe(2)
    stream.stop()
  })

  it('makes no request after it was stopped', async () => {
    const world = new FakeWorld()
    const { stream, states } = openStream(world)
    stream.start()
    await settle()
    stream.stop()
    await world.pass(120_000)
    expect(world.asked.length).toBe(1)
    expect(states).toEqual([true])
    stream.start()
    await settle()
    expect(world.asked.length).toBe(2)
    stream.stop()
  })
})
