// Prints the gzipped size of the pages; fails above a limit.
//   node size.js DIR LIMIT      DIR holds the pages that vite built, LIMIT is in bytes
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
console.log(`${String(sum).padStart(7)}  in total; the limit is ${limit}`)
if (sum > Number(limit)) {
  console.error(`size ${sum} of the pages is too large; expected at most ${limit} bytes`)
  process.exit(1)
}
