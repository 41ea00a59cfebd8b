/**
 * Who competes in the webhook benchmark, and how each is started and driven.
 */
import { Effect } from "effect"
import { BenchError } from "../BenchError.ts"
import { Channel } from "../Channel.ts"
import type { BenchDatabase } from "../Cluster.ts"
import * as Processes from "../Processes.ts"
import type { SenderCommand } from "./Sender.ts"

/** Everybody, in the order of the first round. */
export const contestants = ["dockline", "graphile", "local-queue", "bare"] as const

/** Somebody who is measured. */
export type Contestant = (typeof contestants)[number]

/** The name of each contestant in tables. */
export const titles: Readonly<Record<Contestant, string>> = {
  dockline: "Dockline",
  graphile: "graphile-worker",
  "local-queue": "graphile-worker, local queue",
  bare: "bare undici loop"
}

/** How contestants are started. */
export interface StartOptions {
  /** Connections of ours to the database; graphile-worker has as many as it recommends. */
  readonly pool: number
}

/** A sender that runs. */
export type Sender = Channel<SenderCommand>

const programs: Readonly<Record<Contestant, string>> = {
  dockline: "webhooks/dockline.ts",
  graphile: "webhooks/graphile.ts",
  "local-queue": "webhooks/graphile.ts",
  bare: "webhooks/bare.ts"
}

/** Starts a contestant that delivers to these base URLs. It ends with the scope. */
export const start = Effect.fnUntraced(function*(
  contestant: Contestant,
  database: BenchDatabase,
  endpoints: ReadonlyArray<string>,
  { pool }: StartOptions
) {
  const child = yield* Processes.startNode(programs[contestant], {
    DATABASE_URL: database.url,
    DATABASE_CONNECTIONS: String(pool),
    ENDPOINTS: JSON.stringify(endpoints),
    LOCAL_QUEUE: String(contestant === "local-queue")
  }, { ipc: true })
  const sender: Sender = new Channel(titles[contestant], child)
  yield* sender.asking({ ready: true })
  return sender
})

/** What must hold of what came: everything expected, nothing twice. */
export const assertComplete = (distinct: number, expected: number, repeats: number): void => {
  if (distinct === expected && repeats === 0) return
  throw new BenchError({ message: `Of ${expected} deliveries ${distinct} came, and ${repeats} came again` })
}
