/** Whether servers say that they are ready, and that they live. */
import { get } from "node:http"
import { setTimeout as wait } from "node:timers/promises"
import type { Recorder } from "../history/Record.ts"
import { until } from "../Until.ts"

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
export const areReady = (all: ReadonlyArray<() => Promise<boolean>>, millis: number): Promise<boolean> =>
  until(async () => (await Promise.all(all.map((isReady) => isReady()))).every(Boolean), millis)

/** How long after an answer the next question is sent, and how long an answer is waited for, in milliseconds. */
const pauseMillis = 100
const patienceMillis = 15_000

/** What is asked, and under which number of the list of addresses it is recorded. */
export interface Probed {
  readonly url: string
  readonly instance: number
}

/**
 * Asks an instance again and again whether it lives, as an orchestrator does that restarts what does not answer. Each
 * question has a connection of its own and is recorded with the time that its answer took. The returned function ends it once the question under way is answered. */
export const probe = ({ instance, url }: Probed, recorder: Recorder): () => Promise<void> => {
  const leaving = new AbortController()
  const { signal } = leaving
  const asking = (async () => {
    while (!signal.aborted) {
      const begun = performance.now()
      const status = await ask(url)
      recorder.record({ type: "probe", instance, status, millis: Math.round(performance.now() - begun) })
      await wait(pauseMillis, undefined, { signal }).catch(() => {})
    }
  })()
  return () => {
    leaving.abort()
    return asking
  }
}

/** The status of the answer, or 0 when none came. */
const ask = (url: string): Promise<number> =>
  new Promise((resolve) => {
    const request = get(`${url}/healthz`, {
      agent: false,
      signal: AbortSignal.timeout(patienceMillis)
    }, (answer) => {
      answer.resume()
      answer.once("error", () => resolve(0))
      answer.once("end", () => resolve(answer.statusCode ?? 0))
    })
    request.once("error", () => resolve(0))
  })
