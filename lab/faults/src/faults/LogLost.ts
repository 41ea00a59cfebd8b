/**
 * Instances that cannot write their logs while they have much to say: people who do not know the secret of their client ask for tokens,
 * each of whom is worth a warning. Somebody asks meanwhile whether the instances live.
 */
import { setTimeout as wait } from "node:timers/promises"
import type { Instance } from "../system/Instance.ts"
import type { Site } from "../workload/Client.ts"
import { probe } from "./Probe.ts"

/** The least time for which a log is lost, in milliseconds. */
const leastMillis = 4000

/** How many ask at once, and for how long each stays away after an answer, in milliseconds. */
const strangers = 8
const awayMillis = 10

/** How long an answer is waited for, in milliseconds. */
const patienceMillis = 5000

/** What makes the line about a request long. */
const correlation = "x".repeat(100)

/** Has strangers ask for tokens until the returned function is called, which says how many were refused. */
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
      // Who fails too often is refused before anything is logged; an instance that is gone is for those who probe.
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
 * Loses the logs of instances. The returned function lets them be written again, which takes another process where a reader is gone, and
 * says what was refused meanwhile and what was wrong with the way a process ended. `undefined`: this machine does not allow it.
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
