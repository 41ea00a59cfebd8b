/**
 * A flood of GraphQL frames at one instance: several sockets that send frames as fast as they are taken, and that come back
 * when they are closed; and somebody who asks the instance meanwhile whether it lives. The sockets are in a process of their
 * own, so that they keep nobody else of the harness waiting.
 */
import { fork } from "node:child_process"
import { setTimeout as wait } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import type { Recorder } from "../history/Record.ts"
import { asRecord } from "../Json.ts"
import { probe } from "../system/Health.ts"
import type { Probed } from "../system/Health.ts"
import type { FloodOptions, FloodResult } from "./FloodMain.ts"

/** The least time for which frames are sent, in milliseconds: a shorter flood would show nothing. */
const leastMillis = 4000

/** How long a token is waited for, in milliseconds; without one nobody introduces himself. */
const tokenMillis = 2000

/** Begins a flood. The returned function ends it, waits for the answer to the last question, and says what was sent. */
export const begin = async (
  probed: Probed,
  baseUrl: string,
  recorder: Recorder
): Promise<() => Promise<FloodResult>> => {
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
  return async () => {
    await shownSomething
    child.send("over", () => {})
    const result = await told
    await stop()
    return result
  }
}

const tokenAt = async (url: string, baseUrl: string): Promise<string | undefined> => {
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
  }).then((response) => response.json(), () => undefined)
  const token = asRecord(answer)["access_token"]
  return typeof token === "string" ? token : undefined
}
