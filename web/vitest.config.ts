import { svelte } from '@sveltejs/vite-plugin-svelte'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  plugins: [svelte()],
  test: {
    projects: [
      { extends: true, test: { name: 'unit', environment: 'jsdom', include: ['src/**/*.test.ts'], testTimeout: 60_000, isolate: false } },
      // Tests in Chromium against a real `allot serve`; see browser/harness.ts.
      {
        extends: true,
        test: {
          name: 'browser',
          environment: 'node',
          include: ['browser/**/*.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          fileParallelism: false,
        },
      },
      // Pictures of the pages for docs/; scripts/screenshots runs them.
      {
        extends: true,
        test: {
          name: 'pictures',
          environment: 'node',
          include: ['browser/pictures.ts'],
          testTimeout: 180_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
})
