// Prepares the server's table of items by certainty and labels for drawing.
import type { ItemMap } from '../api/report_types.ts'

export function sumMaps(a: number[][], b: number[][]): number[][] {
  return a.map((row, r) => row.map((count, c) => count + (b[r]?.[c] ?? 0)))
}

/** Turns counts by certainty into counts by labels, which are drawn upwards. */
function byLabels(counts: number[][], rows: number): number[][] {
  return Array.from({ length: rows }, (_, r) => counts.map((column) => column[r] ?? 0))
}

/** Names like "50%" and "95%": the lower edge of each cell. The last edge ends the last cell. */
export function columnNames(edges: number[]): string[] {
  return edges.slice(0, -1).map((low) => `${Number((low * 100).toFixed(1))}%`)
}

/** Names like "0", "3" and "10–14". */
export function rowNames(edges: number[]): string[] {
  return edges.slice(0, -1).map((low, n) => {
    const last = (edges[n + 1] ?? low + 1) - 1
    return last <= low ? `${low}` : `${low}–${last}`
  })
}

/** The number of rows of a map, at least three. */
export function rowsOf(map: ItemMap): number {
  return Math.max(3, map.labels.length - 1)
}

export interface ShownMap {
  columns: string[]
  rows: string[]
  counts: number[][]
}

/** Draws some counts of a map with its own rows, or with those of a taller map: the lower edges are the same. */
export function shownMap(map: ItemMap, counts: number[][], like = map): ShownMap {
  const rows = rowsOf(like)
  const names = rowNames(like.labels)
  while (names.length < rows) names.push(String(names.length))
  return { columns: columnNames(map.certainty), rows: names, counts: byLabels(counts, rows) }
}
