// The server's table of items by certainty and labels, made ready to be drawn.
import type { ItemMap } from '../api/report_types.ts'

export function sumMaps(a: number[][], b: number[][]): number[][] {
  return a.map((row, r) => row.map((one, c) => one + (b[r]?.[c] ?? 0)))
}

/** "50", "95": where the cell begins, in per cent. The last edge is the end of the last cell. */
export function columnNames(edges: number[]): string[] {
  return edges.slice(0, -1).map((low) => `${Number((low * 100).toFixed(1))}%`)
}

/** "0", "3–4", "20+". */
export function rowNames(edges: number[]): string[] {
  return edges.slice(0, -1).map((low, n) => {
    const next = edges[n + 1]
    if (next === undefined || next === null) return `${low}+`
    return next - low <= 1 ? `${low}` : `${low}–${next - 1}`
  })
}

/** Rows up to the last one in use, three at least. */
export function rowsInUse(map: ItemMap): number {
  const isEmpty = (row: number[] | undefined) => (row ?? []).every((one) => one === 0)
  let used = map.open.length
  while (used > 3 && isEmpty(map.open[used - 1]) && isEmpty(map.settled[used - 1])) used -= 1
  return used
}

export interface Shown {
  columns: string[]
  rows: string[]
  counts: number[][]
}

/** The first rows of some counts of a map, with names. */
export function shownMap(map: ItemMap, counts: number[][], rows = rowsInUse(map)): Shown {
  return {
    columns: columnNames(map.certainty),
    rows: rowNames(map.labels).slice(0, rows),
    counts: counts.slice(0, rows),
  }
}
