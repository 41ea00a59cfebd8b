/** Waits for conditions without an event, for a bounded time. */
import { setTimeout as wait } from "node:timers/promises"

/** Makes a function that returns whether this number of milliseconds has passed since then. */
export const past = (millis: number): () => boolean => {
  const end = performance.now() + millis
  return () => performance.now() > end
}

/** Checks a condition often, for at most the given time; returns whether it came to hold. */
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
