/**
 * The contestants of the GraphQL benchmarks, and how to start them.
 */
import type { BenchDatabase } from "../Cluster.ts"
import type { Common } from "../Report.ts"
import * as Servers from "../Servers.ts"
import type { Server } from "../Servers.ts"

/** The options of the command line. */
export interface GraphqlOptions extends Common {
  readonly rounds: number
  readonly warmup: number
  readonly seconds: number
  readonly pool: number
  /** (a) HTTP connections, and messages in the log, whose pages are requested in turn. */
  readonly connections: number
  readonly log: number
  /** (b) Subscribers, messages sent one at a time, and messages in flight while throughput is measured. */
  readonly clients: number
  readonly messages: number
  readonly window: number
}

/** The name of each contestant in tables. */
export const titles = { dockline: "Dockline", yoga: "graphql-yoga", bare: "bare ws broadcast" } as const

/** The contestants. */
export type Contestant = keyof typeof titles

/** Starts our server, which appends messages on command. */
export const startDockline = (database: BenchDatabase, pool: number) =>
  Servers.startDockline(database, pool, {}, "graphql/dockline.ts")

/** Starts a peer, which accepts our tokens. */
export const startPeer = (peer: "yoga" | "bare", ours: Server, database: BenchDatabase, pool: number) =>
  Servers.startPeer(titles[peer], "graphql/peer.ts", ours, database, pool, { CONTESTANT: peer })
