import { describe, expect, it } from 'vitest'
import { ViewTimer } from './view_timer.ts'

function timerAt() {
  let time = 1000
  const timer = new ViewTimer(() => time)
  return { timer, pass: (milliseconds: number) => void (time += milliseconds) }
}

describe('view timer', () => {
  it('counts the time of the item in view', () => {
    const { timer, pass } = timerAt()
    timer.show('a')
    pass(1500)
    timer.show('a')
    pass(500)
    expect(timer.secondsOf('a')).toBe(2)
    expect(timer.secondsOf('b')).toBeUndefined()
    timer.show('b')
    expect(timer.secondsOf('b')).toBeUndefined()
    pass(250)
    expect(timer.secondsOf('b')).toBe(0.25)
  })
  it('does not count while the page is hidden', () => {
    const { timer, pass } = timerAt()
    timer.show('a')
    pass(1000)
    timer.setVisible(false)
    pass(60_000)
    timer.setVisible(true)
    pass(1000)
    expect(timer.secondsOf('a')).toBe(2)
  })
  it('starts when a hidden page is shown', () => {
    const { timer, pass } = timerAt()
    timer.show('a', false)
    pass(5000)
    expect(timer.secondsOf('a')).toBeUndefined()
    timer.setVisible(true)
    pass(1000)
    expect(timer.secondsOf('a')).toBe(1)
    pass(100_000_000)
    expect(timer.secondsOf('a')).toBe(86_400)
  })
})
