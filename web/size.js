// How large the pages are, gzipped as they are sent; fails above the limit.
//   node size.js DIR LIMIT      DIR is what vite built, LIMIT in bytes
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'

const [folder, limit] = process.argv.slice(2)
let sum = 0
for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
  if (!entry.isFile()) continue
  const size = gzipSync(readFileSync(join(entry.parentPath ?? entry.path, entry.name)), { level: 9 }).length
  sum += size
  console.log(`${String(size).padStart(7)}  ${entry.name}`)
}
console.log(`${String(sum).padStart(7)}  in all, of ${limit}`)
if (sum > Number(limit)) {
  console.error('The pages are larger than they may be.')
  process.exit(1)
}
