/** A line of a chart: colours are those of the palette, 1 to 4. */
export interface Line {
  name: string
  colour: 1 | 2 | 3 | 4
  dash?: 'solid' | 'dash' | 'dot'
  points: { x: number; y: number | null }[]
  band?: { x: number; low: number; high: number }[]
}
