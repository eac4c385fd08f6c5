// Makes of what Vite built the sources that put it into the server: an assembler file that takes in every page as
// it is and gzipped, and the table of them. And the list of what it was made from, for the build system.
//   node embed.js DIR      reads DIR/files, writes DIR/pages.S, DIR/pages.cpp, DIR/pages.d and DIR/zipped
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'

const types = {
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
}

function filesBelow(folder, inside = '') {
  return readdirSync(join(folder, inside))
    .sort()
    .flatMap((name) => {
      const path = join(inside, name)
      return statSync(join(folder, path)).isDirectory() ? filesBelow(folder, path) : [path]
    })
}

const [out] = process.argv.slice(2)
const built = join(out, 'files')
mkdirSync(join(out, 'zipped'), { recursive: true })
let assembly = '// Made by web/embed.js.\n    .section .rodata\n'
let declared = ''
let rows = ''
filesBelow(built).forEach((name, n) => {
  const type = types[name.split('.').pop()]
  if (!type) throw new Error(`no type is known for ${name}`)
  const plain = readFileSync(join(built, name))
  const zipped = gzipSync(plain, { level: 9 })
  const zippedPath = join(out, 'zipped', String(n))
  writeFileSync(zippedPath, zipped)
  const tag = createHash('sha256').update(plain).digest('hex').slice(0, 16)
  for (const [symbol, path] of [
    [`allot_page_${n}`, join(built, name)],
    [`allot_page_${n}_zipped`, zippedPath],
  ]) {
    assembly += `    .global ${symbol}\n    .balign 16\n${symbol}:\n    .incbin "${path}"\n`
    declared += `extern const char ${symbol}[];\n`
  }
  rows += `    {"/${name}", "${type}", "${tag}",\n     {allot_page_${n}, ${plain.length}}, {allot_page_${n}_zipped, ${zipped.length}}},\n`
})
assembly += '    .section .note.GNU-stack,"",%progbits\n'
writeFileSync(join(out, 'pages.S'), assembly)
writeFileSync(
  join(out, 'pages.cpp'),
  `// Made by web/embed.js.
#include "serve/pages.hpp"

extern "C" {
${declared}}

namespace allot::serve {
namespace {
const PageFile kFiles[] = {
${rows}};
}  // namespace
std::span<const PageFile> page_files() { return kFiles; }
}  // namespace allot::serve
`,
)
const web = fileURLToPath(new URL('.', import.meta.url))
const sources = filesBelow(join(web, 'src'))
  .filter((name) => !name.endsWith('.test.ts'))
  .map((name) => join(web, 'src', name).replaceAll(' ', '\\ '))
writeFileSync(join(out, 'pages.d'), `${join(out, 'pages.S')}: ${sources.join(' ')}\n`)
