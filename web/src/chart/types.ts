/** A line of a chart; colours are numbered 1 to 4 as in the palette. */
export interface Line {
  name: string
  colour: 1 | 2 | 3 | 4
  dash?: 'solid' | 'dash' | 'dot'
  points: { x: number; y: number | null }[]
  band?: { x: number; low: number; high: number }[]
}
