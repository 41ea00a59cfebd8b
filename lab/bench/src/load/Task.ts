/**
 * What the load generator is told, and what it tells: the messages between its process and the benchmark's.
 */
import type { Shape, Variant, Workload } from "../intake/Documents.ts"

/** One run against the instances of one server, which the connections are divided over. */
export interface Task {
  readonly ports: ReadonlyArray<number>
  readonly token: string
  readonly connections: number
  readonly ordersPerConnection: number
  readonly workload: Workload
  readonly shape: Shape
  /** Whether each request has an `Idempotency-Key` of its own. */
  readonly keys: boolean
  /** Which run this is: numbers of new orders and ids of events have it. */
  readonly run: number
  readonly warmupSeconds: number
  /** 0: every order once instead, which creates them. First documents are as many as there are, whatever they take. */
  readonly seconds: number
  /** The variant that each order of each connection has now. */
  readonly variants: ReadonlyArray<ReadonlyArray<Variant>>
  /** Processes whose CPU time is read at the start and the end of the measurement. */
  readonly serverPids: ReadonlyArray<number>
  readonly postgresPid: number
}

/** CPU milliseconds for each request. */
export interface CpuPerRequest {
  /** Of the server; 0 for pgbench, which has none. */
  readonly server: number
  readonly postgres: number
  /** Of the generator, or of pgbench. */
  readonly client: number
}

/** What was measured. */
export interface Measured {
  readonly requests: number
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  readonly cpu: CpuPerRequest
}

/** The result of a run. */
export interface TaskResult {
  readonly measured: Measured
  /** How many answers had each status, warm-up included. */
  readonly statuses: Readonly<Record<string, number>>
  /** The first answer that was no success, for the message. */
  readonly firstFailure: string | null
  /** The variant of each order after its last answer. */
  readonly variants: ReadonlyArray<ReadonlyArray<Variant>>
}

/** The value below which the given share of sorted values lies. */
export const percentile = (sorted: Float64Array, share: number): number =>
  sorted.length === 0 ? Number.NaN : sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!
