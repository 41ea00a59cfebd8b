/**
 * Who competes in the GraphQL benchmarks, and how each is started.
 */
import { Effect } from "effect"
import type { ChildProcess } from "node:child_process"
import type { BenchDatabase } from "../Cluster.ts"
import * as Servers from "../Servers.ts"
import type { Server } from "../Servers.ts"

/** Who is measured in the history benchmark. */
export const historyContestants = ["dockline", "yoga"] as const

/** Who is measured in the subscription benchmark. */
export const fanoutContestants = ["dockline", "yoga", "bare"] as const

/** Anybody who is measured. */
export type Contestant = (typeof fanoutContestants)[number]

/** The name of each contestant in tables. */
export const titles: Readonly<Record<Contestant, string>> = {
  dockline: "Dockline",
  yoga: "graphql-yoga",
  bare: "bare ws broadcast"
}

/** A server that appends messages when told to. */
export interface LogServer extends Server {
  readonly contestant: Contestant
  readonly child: ChildProcess
}

/** How contestants are started. */
export interface StartOptions {
  /** Connections of each server to its database. */
  readonly pool: number
}

/** Starts a contestant on its database; ours gives the token itself. */
export const start = Effect.fnUntraced(
  function*(contestant: Contestant, database: BenchDatabase, { pool }: StartOptions) {
    const isOurs = contestant === "dockline"
    const peer = {
      name: titles[contestant],
      program: isOurs ? "graphql/dockline.ts" : "graphql/server.ts",
      env: { CONTESTANT: contestant }
    }
    const started = yield* Servers.startProgram(peer, database, { pool })
    const token = isOurs
      ? yield* Servers.requestToken(`http://127.0.0.1:${started.port}`)
      : started.token
    return { ...started, token, contestant } satisfies LogServer
  }
)
