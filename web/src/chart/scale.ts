// Positions and ticks on axes.

export interface Range {
  low: number
  high: number
}

/** Returns a linear map from values to places. */
export function scale(values: Range, places: Range): (value: number) => number {
  const width = values.high - values.low
  const step = width === 0 ? 0 : (places.high - places.low) / width
  return (value) => places.low + (value - values.low) * step
}

/** Returns 1, 2 or 5 times a power of ten, so that about `count` steps fill the range. */
export function niceStep(range: Range, count: number): number {
  const raw = Math.max(range.high - range.low, 1e-12) / Math.max(1, count)
  const power = 10 ** Math.floor(Math.log10(raw))
  const lead = raw / power
  return power * (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10)
}

/** Returns the multiples of a nice step within the range. */
export function ticks(range: Range, count: number): number[] {
  const step = niceStep(range, count)
  const first = Math.ceil(range.low / step - 1e-9)
  const last = Math.floor(range.high / step + 1e-9)
  const all: number[] = []
  for (let n = first; n <= last; ++n) all.push(Number((n * step).toPrecision(12)))
  return all
}

/** Returns the range of values, widened to nice ends and to at least `narrowest`, within `limits`. */
export function niceRange(values: number[], narrowest: number, limits: Range): Range {
  let low = Math.min(...values)
  let high = Math.max(...values)
  if (!Number.isFinite(low)) return limits
  const missing = narrowest - (high - low)
  if (missing > 0) {
    low = Math.max(limits.low, Math.min(low - missing / 2, limits.high - narrowest))
    high = Math.max(high, low + narrowest)
  }
  const step = niceStep({ low, high }, 5)
  low = Math.floor(low / step + 1e-9) * step
  high = Math.ceil(high / step - 1e-9) * step
  const tidy = (value: number) => Number(value.toPrecision(12))
  return { low: Math.max(limits.low, tidy(low)), high: Math.min(limits.high, tidy(high)) }
}

/** Moves labels apart that are closer than `gap`, as little as possible, within the range. */
export function spread(places: number[], gap: number, range: Range): number[] {
  const order = places.map((_, n) => n).sort((a, b) => (places[a] ?? 0) - (places[b] ?? 0))
  const groups: { sum: number; count: number; members: number[] }[] = []
  const top = (group: { sum: number; count: number }) => {
    const height = (group.count - 1) * gap
    const middle = group.sum / group.count
    return Math.min(Math.max(middle - height / 2, range.low), range.high - height)
  }
  for (const n of order) {
    groups.push({ sum: places[n] ?? 0, count: 1, members: [n] })
    for (;;) {
      const last = groups.at(-1)
      const before = groups.at(-2)
      if (!last || !before) break
      if (top(before) + before.count * gap <= top(last) + 1e-9) break
      before.sum += last.sum
      before.count += last.count
      before.members.push(...last.members)
      groups.pop()
    }
  }
  const moved = [...places]
  for (const group of groups) {
    group.members.forEach((n, k) => {
      moved[n] = top(group) + k * gap
    })
  }
  return moved
}

/** Draws a line through points as an SVG path; a missing value breaks it. */
export function linePath(points: readonly { x: number; y: number | null }[]): string {
  let path = ''
  let pen = false
  for (const { x, y } of points) {
    if (y === null) {
      pen = false
      continue
    }
    path += `${pen ? 'L' : 'M'}${x.toFixed(1)} ${y.toFixed(1)}`
    pen = true
  }
  return path
}

/** Draws the area between a lower and an upper line as an SVG path. */
export function bandPath(points: readonly { x: number; low: number; high: number }[]): string {
  if (points.length === 0) return ''
  const there = points.map(({ x, high }) => `${x.toFixed(1)} ${high.toFixed(1)}`)
  const back = [...points].reverse().map(({ x, low }) => `${x.toFixed(1)} ${low.toFixed(1)}`)
  return `M${there.join('L')}L${back.join('L')}Z`
}
