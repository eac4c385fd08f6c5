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

/** Without the empty rows above the last one in use, but never fewer than three rows. */
export function trimmed(
  map: ItemMap,
  counts: number[][],
): { certainty: number[]; labels: number[]; counts: number[][] } {
  let used = counts.length
  const isEmpty = (row: number[] | undefined) => (row ?? []).every((one) => one === 0)
  while (used > 3 && isEmpty(map.open[used - 1]) && isEmpty(map.settled[used - 1])) used -= 1
  return { certainty: map.certainty, labels: map.labels.slice(0, used + 1), counts: counts.slice(0, used) }
}
