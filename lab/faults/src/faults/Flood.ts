/**
 * A flood of GraphQL frames at one instance, and somebody who asks it meanwhile whether it lives.
 */
import { fork } from "node:child_process"
import { setTimeout as wait } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import type { Recorder } from "../history/Record.ts"
import { asRecord } from "../Json.ts"
import { probe } from "../system/Probe.ts"
import type { Probed } from "../system/Probe.ts"
import { over } from "./FloodMessage.ts"
import type { FloodOptions, FloodResult } from "./FloodMessage.ts"

/** A flood under way. */
export interface Flood {
  /** Ends it, and waits for the answer to the last question; says what was sent. */
  readonly end: () => Promise<FloodResult>
}

/** The least time for which frames are sent, in milliseconds: a shorter flood would show nothing. */
const leastMillis = 4000

/** How long a token is waited for, in milliseconds; without one nobody introduces himself. */
const tokenMillis = 2000

/** Begins a flood. */
export const begin = async (probed: Probed, baseUrl: string, recorder: Recorder): Promise<Flood> => {
  const { url } = probed
  const options: FloodOptions = { port: Number(new URL(url).port), token: await tokenAt(url, baseUrl) }
  const child = fork(fileURLToPath(new URL("FloodMain.ts", import.meta.url)), { stdio: "ignore" })
  const told = new Promise<FloodResult>((resolve, reject) => {
    child.once("message", (result) => resolve(result as FloodResult))
    child.once("error", reject)
    child.once("close", () => reject(new Error("the attacker ended by itself")))
  })
  // Whether it came about is awaited at the end.
  told.catch(() => {})
  child.send(options, () => {})
  const stop = probe(probed, recorder)
  const shownSomething = wait(leastMillis)
  return {
    end: async () => {
      await shownSomething
      child.send(over, () => {})
      const result = await told
      await stop()
      return result
    }
  }
}

const tokenAt = async (url: string, baseUrl: string): Promise<string | undefined> => {
  try {
    const answer = await fetch(`${url}/oauth/token`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        client_id: "acme-client",
        client_secret: "acme-client-secret",
        audience: `${baseUrl}/public_graphql`,
        grant_type: "client_credentials"
      }),
      signal: AbortSignal.timeout(tokenMillis)
    })
    const token = asRecord(await answer.json())["access_token"]
    return typeof token === "string" ? token : undefined
  } catch {
    return undefined
  }
}
