/** Waiting for what nothing tells, for a bounded time. */
import { setTimeout as wait } from "node:timers/promises"

/** Says whether so many milliseconds have passed since it was made. */
export const past = (millis: number): () => boolean => {
  const end = performance.now() + millis
  return () => performance.now() > end
}

/** Waits until something holds, looking often, as long as given; says whether it came to hold. */
export const until = async (
  holds: () => boolean | Promise<boolean>,
  millis: number,
  everyMillis = 50
): Promise<boolean> => {
  const isOver = past(millis)
  while (!await holds()) {
    if (isOver()) return false
    await wait(everyMillis)
  }
  return true
}
