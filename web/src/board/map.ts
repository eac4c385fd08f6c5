// The server's table of items by certainty and labels, made ready to be drawn.
import type { ItemMap } from '../api/report_types.ts'

export function sumMaps(a: number[][], b: number[][]): number[][] {
  return a.map((row, r) => row.map((one, c) => one + (b[r]?.[c] ?? 0)))
}

/** Counts by labels, then certainty: labels are drawn upwards. */
function byLabels(counts: number[][], rows: number): number[][] {
  return Array.from({ length: rows }, (_, r) => counts.map((column) => column[r] ?? 0))
}

/** "50", "95": where the cell begins, in per cent. The last edge is the end of the last cell. */
export function columnNames(edges: number[]): string[] {
  return edges.slice(0, -1).map((low) => `${Number((low * 100).toFixed(1))}%`)
}

/** "0", "3", "10–14". */
export function rowNames(edges: number[]): string[] {
  return edges.slice(0, -1).map((low, n) => {
    const last = (edges[n + 1] ?? low + 1) - 1
    return last <= low ? `${low}` : `${low}–${last}`
  })
}

/** Rows that a map has, three at least. */
export function rowsOf(map: ItemMap): number {
  return Math.max(3, map.labels.length - 1)
}

export interface Shown {
  columns: string[]
  rows: string[]
  counts: number[][]
}

/** Some counts of a map, with the rows of it or of a taller one: edges are the same from below. */
export function shownMap(map: ItemMap, counts: number[][], like = map): Shown {
  const rows = rowsOf(like)
  const names = rowNames(like.labels)
  while (names.length < rows) names.push(String(names.length))
  return { columns: columnNames(map.certainty), rows: names, counts: byLabels(counts, rows) }
}
