import { describe, expect, it } from 'vitest'
import { Refresh, type RefreshTools } from './refresh.ts'

class World implements RefreshTools {
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
      const next = this.timers.filter((one) => !one.gone && one.at <= end).sort((a, b) => a.at - b.at)[0]
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
  it('works once a second however often it is asked', async () => {
    const world = new World()
    let worked = 0
    const refresh = new Refresh(async () => void ++worked, 1000, world)
    // 1,000 events a minute for a minute.
    for (let n = 0; n < 1000; ++n) {
      refresh.ask()
      await world.pass(60)
    }
    expect(worked).toBeGreaterThan(55)
    expect(worked).toBeLessThanOrEqual(61)
    await world.pass(5000)
    const after = worked
    await world.pass(60_000)
    expect(worked).toBe(after)
  })

  it('does nothing while the page is hidden, and the rest when it is shown', async () => {
    const world = new World()
    let worked = 0
    const refresh = new Refresh(async () => void ++worked, 1000, world)
    refresh.ask()
    world.away = true
    await world.pass(10_000)
    refresh.ask()
    await world.pass(10_000)
    expect(worked).toBe(0)
    world.away = false
    refresh.visibility()
    await world.pass(0)
    expect(worked).toBe(1)
  })

  it('never has two requests under way, and makes up for what changed meanwhile', async () => {
    const world = new World()
    let open = 0
    let most = 0
    let worked = 0
    const waiting: (() => void)[] = []
    const refresh = new Refresh(
      async () => {
        most = Math.max(most, ++open)
        ++worked
        await new Promise<void>((done) => waiting.push(done))
        --open
      },
      1000,
      world,
    )
    refresh.ask()
    await world.pass(0)
    for (let n = 0; n < 5; ++n) {
      refresh.ask()
      await world.pass(3000)
    }
    expect(worked).toBe(1)
    waiting.shift()?.()
    await settle()
    await world.pass(100_000)
    expect(worked).toBe(2)
    expect(most).toBe(1)
  })

  it('gives a slow server rest', async () => {
    const world = new World()
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
      refresh.ask()
      await world.pass(50)
    }
    const gaps = started.slice(1).map((time, n) => time - (started[n] ?? 0))
    expect(gaps.length).toBeGreaterThan(2)
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(4000)
  })

  it('works at once for a person, and goes on after a failure', async () => {
    const world = new World()
    let worked = 0
    const refresh = new Refresh(async () => void ++worked, 1000, world)
    await refresh.atOnce()
    await refresh.atOnce()
    expect(worked).toBe(2)
    refresh.stop()
    refresh.ask()
    await world.pass(5000)
    expect(worked).toBe(2)
  })
})
