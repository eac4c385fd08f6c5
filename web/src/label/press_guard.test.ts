import { expect, it } from 'vitest'
import { kKeyDelay, kPointerDelay, PressGuard } from './press_guard.ts'

it('allows the first press at once, and the next only after a delay', () => {
  const guard = new PressGuard()
  expect(guard.allows(0, 'pointer')).toBe(true)
  guard.itemShown(1000)
  expect(guard.allows(1000 + kPointerDelay - 1, 'pointer')).toBe(false)
  expect(guard.allows(1000 + kPointerDelay, 'pointer')).toBe(true)
  expect(guard.allows(1000 + kKeyDelay - 1, 'key')).toBe(false)
  expect(guard.allows(1000 + kKeyDelay, 'key')).toBe(true)
})
