/**
 * Sends requests and measures what each costs: time, and the CPU time of the server and of PostgreSQL.
 */
import type { Effect } from "effect"
import { attempt } from "../BenchError.ts"
import type { BenchError } from "../BenchError.ts"
import { cpuSecondsOf } from "../Cpu.ts"
import { Connection } from "../load/Connection.ts"

/** What a request costs, in milliseconds. */
export interface Cost {
  /** The median from the request to the answer. */
  readonly p50: number
  readonly server: number
  readonly postgres: number
}

/** Who serves. */
export interface Target {
  readonly port: number
  readonly pid: number
  readonly postgresPid: number
}

const sendAll = async (connection: Connection, requests: ReadonlyArray<Buffer>): Promise<Array<number>> => {
  const times: Array<number> = []
  for (const request of requests) {
    const begun = performance.now()
    const { body, status } = await connection.send(request)
    times.push(performance.now() - begun)
    const failed = status !== 200 && status !== 201 || body.includes("\"errors\":")
    if (failed) throw new Error(`${status} ${body.toString("utf8", 0, 1000)}`)
  }
  return times
}

/** Deals requests out to connections, in turns. */
export const dealt = (
  requests: ReadonlyArray<Buffer>,
  connections: number
): ReadonlyArray<ReadonlyArray<Buffer>> =>
  Array.from({ length: connections }, (_, at) => requests.filter((_, index) => index % connections === at))

/** Sends all requests, each connection its own; any answer but a success ends the benchmark. */
export const measure = (
  what: string,
  { pid, port, postgresPid }: Target,
  requests: ReadonlyArray<ReadonlyArray<Buffer>>
): Effect.Effect<Cost, BenchError> =>
  attempt(what, async () => {
    const connections = await Promise.all(requests.map(() => Connection.open(port)))
    try {
      const before = [cpuSecondsOf(pid), cpuSecondsOf(postgresPid)] as const
      const times = await Promise.all(connections.map((connection, at) => sendAll(connection, requests[at]!)))
      const all = times.flat().sort((left, right) => left - right)
      return {
        p50: all[Math.floor(all.length / 2)]!,
        server: (cpuSecondsOf(pid) - before[0]) * 1000 / all.length,
        postgres: (cpuSecondsOf(postgresPid) - before[1]) * 1000 / all.length
      }
    } finally {
      for (const connection of connections) connection.close()
    }
  })
