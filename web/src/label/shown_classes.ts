/** The classes as a worker sees them: under the names, in the order and with the examples of the page. */
import type { Page } from '../api/types.ts'

export interface ShownClass {
  /** The class, as the server knows it. */
  label: string
  name: string
  example: string
}

/** `order` is that of one item, if the page shuffles; an order that misses a class is ignored. */
export function shownClasses(classes: string[], page?: Page | null, order?: string[]): ShownClass[] {
  const named = page?.classes?.length
    ? page.classes.map((one) => ({ label: one.class, name: one.name || one.class, example: one.example }))
    : classes.map((label) => ({ label, name: label, example: '' }))
  if (!order) return named
  const shuffled = order.flatMap((label) => named.find((one) => one.label === label) ?? [])
  return shuffled.length === named.length ? shuffled : named
}
