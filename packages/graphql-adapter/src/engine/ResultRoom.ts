/**
 * The room of a result (D12.3): what is read is held a second time, as the result that is made of it.
 */
import type { Room } from "@dockline/core/RequestLimits"

/** Room that takes twice what is asked of it. */
export const twice = ({ take, takeNow }: Room): Room => ({
  take: (characters) => take(2 * characters),
  takeNow: (characters) => takeNow(2 * characters)
})
