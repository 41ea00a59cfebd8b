/**
 * Instances that cannot write their logs while they log much: strangers request tokens with wrong secrets, each of which is a warning.
 * Meanwhile the instances are probed.
 */
import { setTimeout as wait } from "node:timers/promises"
import type { Instance } from "../system/Instance.ts"
import type { Site } from "../workload/Client.ts"
import { probe } from "./Probe.ts"

/** The least time for which a log cannot be written, in milliseconds. */
const leastMillis = 4000

/** The number of strangers, and the pause of each after an answer, in milliseconds. */
const strangers = 8
const awayMillis = 10

/** The time limit for an answer, in milliseconds. */
const patienceMillis = 5000

/** A correlation id that makes the log entry of a request long. */
const correlation = "x".repeat(100)

/** Lets strangers request tokens until the returned function is called, which returns how many were refused. */
const ask = (url: string, audience: string): () => Promise<number> => {
  const leaving = new AbortController()
  let refused = 0
  const once = async (clientId: string): Promise<void> => {
    const answer = await fetch(`${url}/oauth/token`, {
      method: "POST",
      headers: { "content-type": "application/json", "correlation-id": correlation },
      body: JSON.stringify({
        client_id: clientId,
        client_secret: "secret",
        audience,
        grant_type: "client_credentials"
      }),
      signal: AbortSignal.timeout(patienceMillis)
    })
    await answer.arrayBuffer()
    if (answer.status === 401) refused++
  }
  const asking = Array.from({ length: strangers }, async (_, stranger) => {
    for (let turn = 0; !leaving.signal.aborted; turn++) {
      // A stranger who fails too often is refused before anything is logged; the probes detect an instance that is gone.
      await once(`stranger ${stranger} ${turn}`).catch(() => {})
      await wait(awayMillis)
    }
  })
  return async () => {
    leaving.abort()
    await Promise.all(asking)
    return refused
  }
}

/**
 * Makes the logs of instances unwritable. The returned function makes them writable again, and for that restarts an instance whose reader
 * is gone; it returns what was refused meanwhile, and what was wrong about the end of a process. `undefined`: this machine does not allow
 * it.
 */
export const begin = (
  site: Site,
  instances: ReadonlyArray<Instance>,
  onBroken: (text: string) => void
): (() => Promise<string>) | undefined => {
  const lost = instances.map((instance) => ({ instance, log: instance.log.lose() }))
  if (lost.some(({ log }) => log === undefined)) {
    lost.forEach(({ log }) => void log?.heal())
    return undefined
  }
  const numbers = instances.map(({ url }) => site.urls.indexOf(url))
  const probing = numbers.map((instance) => probe(site, instance))
  const asking = instances.map(({ url }) => ask(url, `${site.baseUrl}/public_graphql`))
  const shownSomething = wait(leastMillis)
  return async () => {
    await shownSomething
    const refused = await Promise.all(asking.map((end) => end()))
    await Promise.all(probing.map((end) => end()))
    for (const { instance, log } of lost) {
      await log?.heal()
      if (log?.takesRestart !== true) continue
      const wrong = await instance.stop()
      if (wrong !== undefined) onBroken(`an instance without a log was told to stop: ${wrong}`)
      instance.start()
    }
    return `${refused.join(" and ")} sign-ins refused`
  }
}
