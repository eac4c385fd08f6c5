// The upper bound on accuracy, where it tells something.
import type { Share } from '../api/report_types.ts'

/** Above this, the bound only says that much budget is left. */
const kTelling = 0.995

/** The bound, or null while it is too close to 100% to tell anything. */
export const tellingBound = (bound: Share | null | undefined): Share | null =>
  bound === null || bound === undefined || bound > kTelling ? null : bound
