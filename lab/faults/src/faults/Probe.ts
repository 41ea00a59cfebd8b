/** Asks an instance that suffers whether it lives, as an orchestrator does that restarts what does not answer. */
import { get } from "node:http"
import { setTimeout as wait } from "node:timers/promises"
import type { Site } from "../workload/Client.ts"

/** How long after an answer the next question is sent, and how long an answer is waited for, in milliseconds. */
const pauseMillis = 100
const patienceMillis = 15_000

/**
 * Asks again and again until the returned function is called, which waits for the answer to the last question. Each question has a
 * connection of its own and is recorded with the time that its answer took.
 */
export const probe = ({ recorder, urls }: Site, instance: number): () => Promise<void> => {
  const leaving = new AbortController()
  const { signal } = leaving
  const ask = () =>
    // 0 when no answer came.
    new Promise<number>((resolve) => {
      const options = { agent: false, signal: AbortSignal.timeout(patienceMillis) }
      get(`${urls[instance]}/healthz`, options, (answer) => {
        answer.resume().once("error", () => resolve(0)).once("end", () => resolve(answer.statusCode ?? 0))
      }).once("error", () => resolve(0))
    })
  const askAll = async () => {
    while (!signal.aborted) {
      const begun = performance.now()
      const status = await ask()
      recorder.record({ type: "probe", instance, status, millis: Math.round(performance.now() - begun) })
      await wait(pauseMillis, undefined, { signal }).catch(() => {})
    }
  }
  const asking = askAll()
  return () => {
    leaving.abort()
    return asking
  }
}
