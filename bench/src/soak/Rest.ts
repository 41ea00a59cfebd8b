/**
 * The system at rest: what it holds while nothing goes on, to be compared before and after the load.
 */
import { Effect } from "effect"
import { attempt } from "../BenchError.ts"
import { databaseConnections } from "../mix/Drive.ts"
import { descriptorsOf } from "../mix/Proc.ts"
import type { System } from "../mix/System.ts"
import { requestToken } from "../Servers.ts"
import type { Idle } from "./Trend.ts"

/** What is held. */
export type Held = Readonly<Record<string, number>>

/** So many looks a second apart; the least counts, since timers have work now and then. */
const looks = 8

/** What may be there or not at any time: a poll of the database that is under way. */
const slack = 2

const look = Effect.fnUntraced(function*(system: System) {
  const held: Record<string, number> = { "database connections": yield* databaseConnections(system) }
  for (const [index, { pid }] of system.instances.entries()) {
    const { all, sockets } = descriptorsOf(pid)
    held[`descriptors, instance ${index + 1}`] = all
    held[`sockets, instance ${index + 1}`] = sockets
  }
  return held as Held
})

/** Enables or disables the endpoint that fails: its retries never rest. */
export const setFailing = Effect.fnUntraced(function*(system: System, enabled: boolean) {
  const failing = system.endpoints.find(({ behaviour }) => behaviour === "failing")
  if (failing === undefined) return
  const token = yield* requestToken(system.baseUrl, "operator")
  yield* attempt("failing endpoint", async () => {
    const response = await fetch(`${system.baseUrl}/v1/operator/webhook-endpoints/${failing.id}`, {
      method: "PATCH",
      headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
      body: JSON.stringify({ enabled })
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`status ${response.status} ${text}`)
  })
})

/** What the system holds once it has had `seconds` to let go. */
export const held = Effect.fnUntraced(function*(system: System, seconds: number) {
  yield* setFailing(system, false)
  yield* Effect.sleep(`${seconds} seconds`)
  let least = yield* look(system)
  for (let looked = 1; looked < looks; looked++) {
    yield* Effect.sleep("1 second")
    const now = yield* look(system)
    least = Object.fromEntries(
      Object.entries(least).map(([name, value]) => [name, Math.min(value, now[name]!)])
    )
  }
  yield* setFailing(system, true)
  return least
})

/** Both times, side by side. */
export const compare = (before: Held, after: Held): ReadonlyArray<Idle> =>
  Object.entries(before).map(([name, count]) => ({
    name,
    before: count,
    after: after[name] ?? Number.NaN,
    slack
  }))
