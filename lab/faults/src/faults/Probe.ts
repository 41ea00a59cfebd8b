/** Probes an overloaded instance, as an orchestrator does that restarts an instance which does not answer. */
import { get } from "node:http"
import { setTimeout as wait } from "node:timers/promises"
import type { Site } from "../workload/Client.ts"

/** The pause between an answer and the next probe, and the time limit for an answer, in milliseconds. */
const pauseMillis = 100
const patienceMillis = 15_000

/**
 * Probes until the returned function is called, which waits for the answer to the last probe. Each probe has its own connection and is
 * recorded with the time of its answer.
 */
export const probe = ({ recorder, urls }: Site, instance: number): () => Promise<void> => {
  const leaving = new AbortController()
  const { signal } = leaving
  const ask = () =>
    // 0 without an answer.
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
