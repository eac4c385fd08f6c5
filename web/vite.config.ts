import { svelte } from '@sveltejs/vite-plugin-svelte'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defineConfig, type Plugin, type ViteDevServer } from 'vite'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** Serves the right page for every address in development, as the server does. */
const pages = {
  name: 'pages',
  configureServer(server: ViteDevServer) {
    server.middlewares.use((request, _response, next) => {
      const path = request.url?.split('?')[0] ?? '/'
      if (/^\/label\/[^/.]+$/.test(path)) request.url = '/label.html'
      else if (/^\/review\/[^/.]+$/.test(path)) request.url = '/review.html'
      else if (/^\/join\/[^/.]+\/[^/.]+$/.test(path)) request.url = '/join.html'
      else if (path === '/work') request.url = '/work.html'
      else if (/^\/(new|archive|campaigns\/.+|compare\/.+)$/.test(path)) request.url = '/index.html'
      next()
    })
  },
}

/** Adds the script that runs before the first paint to every page. It is not a module: modules run too late. */
function early(): Plugin {
  const source = readFileSync(here('src/look/early.js'), 'utf8')
  const fileName = `assets/early-${createHash('sha256').update(source).digest('hex').slice(0, 8)}.js`
  let built = false
  return {
    name: 'early',
    configResolved: (config) => void (built = config.command === 'build'),
    generateBundle() {
      this.emitFile({ type: 'asset', fileName, source })
    },
    transformIndexHtml: {
      order: 'post',
      handler: () => [
        { tag: 'script', attrs: { src: built ? `/${fileName}` : '/src/look/early.js' }, injectTo: 'head-prepend' },
      ],
    },
  }
}

export default defineConfig({
  plugins: [svelte(), pages, early()],
  build: {
    outDir: process.env.ALLOT_WEB_OUT ?? here('../build/web'),
    emptyOutDir: true,
    target: 'es2022',
    // Every asset is a separate file, so that the Content-Security-Policy can forbid inline content.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rollupOptions: {
      input: {
        index: here('index.html'),
        label: here('label.html'),
        review: here('review.html'),
        join: here('join.html'),
        work: here('work.html'),
      },
    },
  },
  server: { proxy: { '/api': process.env.ALLOT_SERVER ?? 'http://127.0.0.1:8080' } },
})
