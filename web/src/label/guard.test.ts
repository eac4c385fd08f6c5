import { expect, it } from 'vitest'
import { Guard, kKeyRest, kPointerRest } from './guard.ts'

it('lets no second press through at once, and the first always', () => {
  const guard = new Guard()
  expect(guard.lets(0, 'pointer')).toBe(true)
  guard.shown(1000)
  expect(guard.lets(1000 + kPointerRest - 1, 'pointer')).toBe(false)
  expect(guard.lets(1000 + kPointerRest, 'pointer')).toBe(true)
  expect(guard.lets(1000 + kKeyRest - 1, 'key')).toBe(false)
  expect(guard.lets(1000 + kKeyRest, 'key')).toBe(true)
})
