/** Whether servers say that they are ready. */
import { setTimeout as wait } from "node:timers/promises"

/** How long a question about readiness waits, in milliseconds. */
const readinessMillis = 2000

/** Whether the server at an address says that it is ready. */
export const isReady = async (url: string): Promise<boolean> => {
  try {
    const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(readinessMillis) })
    await answer.body?.cancel()
    return answer.status === 200
  } catch {
    return false
  }
}

/** Waits until all servers are ready; says whether they were in time. */
export const areReady = async (
  all: ReadonlyArray<() => Promise<boolean>>,
  millis: number
): Promise<boolean> => {
  const deadline = performance.now() + millis
  for (;;) {
    const answers = await Promise.all(all.map((isReady) => isReady()))
    if (answers.every((isReady) => isReady)) return true
    if (performance.now() > deadline) return false
    await wait(50)
  }
}
