/**
 * A flood of GraphQL frames at one instance: several sockets send frames as fast as the instance reads them, and reconnect when they are
 * closed. Meanwhile the instance is probed. The sockets are in a separate process, so that they do not slow down the harness.
 */
import { fork } from "node:child_process"
import { setTimeout as wait } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { Random } from "../../../Random.ts"
import { Client } from "../workload/Client.ts"
import type { Site } from "../workload/Client.ts"
import type { FloodOptions, FloodResult } from "./FloodMain.ts"
import { probe } from "./Probe.ts"

/** The least time for which frames are sent, in milliseconds: a shorter flood would show nothing. */
const leastMillis = 4000

/** The time limit for a token, in milliseconds; without a token no socket sends `connection_init`. */
const tokenMillis = 2000

/** Begins a flood. The returned function ends it, waits for the answer to the last probe, and returns what was sent. */
export const begin = async (site: Site, instance: number): Promise<() => Promise<string>> => {
  const url = site.urls[instance]!
  const account = { clientId: "acme-client", business: "acme", facility: "east" }
  const token = await new Client(site, account, Random.of(1), { patience: tokenMillis }).token(instance)
  const child = fork(fileURLToPath(new URL("FloodMain.ts", import.meta.url)), { stdio: "ignore" })
  const told = new Promise<FloodResult>((resolve, reject) => {
    child.once("message", (result) => resolve(result as FloodResult))
    child.once("error", reject)
    child.once("close", () => reject(new Error("the attacker ended by itself")))
  })
  // Its failure is handled at the end.
  told.catch(() => {})
  const options: FloodOptions = { url, token: typeof token === "string" ? token : undefined }
  child.send(options, () => {})
  const probing = probe(site, instance)
  const shownSomething = wait(leastMillis)
  return async () => {
    await shownSomething
    child.send("over", () => {})
    const { frames, sockets } = await told
    await probing()
    return `${frames} frames on ${sockets} sockets`
  }
}
