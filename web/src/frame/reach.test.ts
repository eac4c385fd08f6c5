import { describe, expect, it } from 'vitest'
import { isLoopback } from './reach.ts'

describe('isLoopback', () => {
  it('knows addresses that work only on this computer', () => {
    for (const host of ['127.0.0.1:8080', '127.8.9.1', 'localhost:1', 'a.localhost', '[::1]:8080']) {
      expect(isLoopback(`http://${host}/x`), host).toBe(true)
    }
    for (const host of ['labels.example.org', '10.0.0.7:8080', '[2001:db8::1]', '127.example.org', 'localhost.org']) {
      expect(isLoopback(`http://${host}/x`), host).toBe(false)
    }
  })
})
