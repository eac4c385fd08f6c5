import { describe, expect, it } from 'vitest'
import { Refresh, type RefreshTools } from './refresh.ts'

class FakeWorld implements RefreshTools {
  time = 0
  away = false
  timers: { at: number; then: () => void; gone: boolean }[] = []
  now = () => this.time
  hidden = () => this.away
  wait(milliseconds: number, then: () => void) {
    const timer = { at: this.time + milliseconds, then, gone: false }
    this.timers.push(timer)
    return () => {
      timer.gone = true
    }
  }
  async pass(milliseconds: number) {
    const end = this.time + milliseconds
    for (;;) {
      const next = this.timers.filter((timer) => !timer.gone && timer.at <= end).sort((a, b) => a.at - b.at)[0]
      if (!next) break
      this.time = Math.max(this.time, next.at)
      next.gone = true
      next.then()
      await settle()
    }
    this.time = end
  }
}
const settle = () => new Promise((done) => setTimeout(done))

describe('Refresh', () => {
  it('runs once per second however often it is asked', async () => {
    const world = new FakeWorld()
    let runs = 0
    const refresh = new Refresh(async () => void ++runs, 1000, world)
    // 1,000 events come within one minute.
    for (let n = 0; n < 1000; ++n) {
      refresh.request()
      await world.pass(60)
    }
    expect(runs).toBeGreaterThan(55)
    expect(runs).toBeLessThanOrEqual(61)
    await world.pass(5000)
    const after = runs
    await world.pass(60_000)
    expect(runs).toBe(after)
  })

  it('does nothing while the page is hidden, and catches up when it is shown', async () => {
    const world = new FakeWorld()
    let runs = 0
    const refresh = new Refresh(async () => void ++runs, 1000, world)
    refresh.request()
    world.away = true
    await world.pass(10_000)
    refresh.request()
    await world.pass(10_000)
    expect(runs).toBe(0)
    world.away = false
    refresh.visibilityChanged()
    await world.pass(0)
    expect(runs).toBe(1)
  })

  it('never makes two requests at once, and repeats one if something changed meanwhile', async () => {
    const world = new FakeWorld()
    let open = 0
    let most = 0
    let runs = 0
    const waiting: (() => void)[] = []
    const refresh = new Refresh(
      async () => {
        most = Math.max(most, ++open)
        ++runs
        await new Promise<void>((done) => waiting.push(done))
        --open
      },
      1000,
      world,
    )
    refresh.request()
    await world.pass(0)
    for (let n = 0; n < 5; ++n) {
      refresh.request()
      await world.pass(3000)
    }
    expect(runs).toBe(1)
    waiting.shift()?.()
    await settle()
    await world.pass(100_000)
    expect(runs).toBe(2)
    expect(most).toBe(1)
  })

  it('repeats slow requests less often', async () => {
    const world = new FakeWorld()
    const started: number[] = []
    const refresh = new Refresh(
      async () => {
        started.push(world.time)
        world.time += 800
      },
      1000,
      world,
    )
    for (let n = 0; n < 400; ++n) {
      refresh.request()
      await world.pass(50)
    }
    const gaps = started.slice(1).map((time, n) => time - (started[n] ?? 0))
    expect(gaps.length).toBeGreaterThan(2)
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(4000)
  })

  it('runs at once on demand, and not at all after it was stopped', async () => {
    const world = new FakeWorld()
    let runs = 0
    const refresh = new Refresh(async () => void ++runs, 1000, world)
    await refresh.runNow()
    await refresh.runNow()
    expect(runs).toBe(2)
    refresh.stop()
    refresh.request()
    await world.pass(5000)
    expect(runs).toBe(2)
  })
})
