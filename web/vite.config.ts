import { svelte } from '@sveltejs/vite-plugin-svelte'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defineConfig, type Plugin, type ViteDevServer } from 'vite'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** In development every address of a page gets the page, as the server does it. */
const pages = {
  name: 'pages',
  configureServer(server: ViteDevServer) {
    server.middlewares.use((request, _response, next) => {
      const path = request.url?.split('?')[0] ?? '/'
      if (/^\/label\/[^/.]+$/.test(path)) request.url = '/label.html'
      else if (/^\/(new|campaigns\/.+|compare\/.+)$/.test(path)) request.url = '/index.html'
      next()
    })
  },
}

/** The script that runs before the first paint, in every page: no module, as those wait for the whole document. */
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
    // Everything is a file of its own, so that nothing inline has to be allowed.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rollupOptions: { input: { index: here('index.html'), label: here('label.html') } },
  },
  server: { proxy: { '/api': process.env.ALLOT_SERVER ?? 'http://127.0.0.1:8080' } },
})
