/**
 * The load of requests that are sent one after another on each of some connections, from a process of its own. It is the same for `intake`
 * and for the history of `graphql`.
 */
import type { Client } from "undici"
import { cpuSecondsOf } from "./Cpu.ts"
import { connect } from "./Http.ts"
import type { Request } from "./Http.ts"
import { percentile } from "./Report.ts"
import type { Figure } from "./Report.ts"

/** How long requests are sent, and to which server. */
export interface LoadTask {
  readonly port: number
  readonly token: string
  readonly connections: number
  readonly warmupSeconds: number
  /** 0: until there are no further requests, all of which count. */
  readonly seconds: number
  /** Processes whose CPU time is read at the start and the end of the measurement. */
  readonly serverPid: number
  readonly postgresPid: number
}

/** CPU milliseconds for each request: of the server, of PostgreSQL, and of the generator. */
export interface CpuPerRequest {
  readonly server: number
  readonly postgres: number
  readonly client: number
}

/** The measured values. */
export interface Measured {
  readonly requests: number
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  readonly cpu: CpuPerRequest
}

/** The figures of the measured values. */
export const figures: ReadonlyArray<Figure<Measured>> = [
  { column: "requests/s", digits: 1, of: ({ perSecond }) => perSecond },
  { column: "p50 ms", digits: 1, of: ({ p50 }) => p50 },
  { column: "p99 ms", digits: 1, of: ({ p99 }) => p99 },
  { column: "server CPU ms", digits: 3, of: ({ cpu }) => cpu.server },
  { column: "PostgreSQL CPU ms", digits: 3, of: ({ cpu }) => cpu.postgres },
  { column: "client CPU ms", digits: 3, of: ({ cpu }) => cpu.client }
]

/** The measured values, in a line. */
export const describe = ({ p50, p99, perSecond }: Measured): string =>
  `${perSecond.toFixed(1).padStart(7)} requests/s, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`

/** The measured values, from the latencies in milliseconds and the CPU seconds. */
export const measuredOf = (
  latencies: ReadonlyArray<number>,
  seconds: number,
  cpu: CpuPerRequest
): Measured => {
  const each = (cpuSeconds: number) => cpuSeconds * 1000 / latencies.length
  return {
    requests: latencies.length,
    perSecond: latencies.length / seconds,
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
    cpu: { server: each(cpu.server), postgres: each(cpu.postgres), client: each(cpu.client) }
  }
}

/** A request, with the handler of its answer. */
export interface Sending {
  readonly request: Request
  readonly onAnswer: (status: number, body: Buffer) => void
}

/** The next request of a connection, by the number of those sent; `undefined` if there are no more. */
export type Sendings = (sent: number) => Sending | undefined

const now = () => performance.now()

const sleepUntil = (time: number) =>
  new Promise<void>((resolve) => setTimeout(resolve, Math.max(0, time - now())))

/** Sends the load. */
export const send = async (
  { connections, port, postgresPid, seconds, serverPid, warmupSeconds }: LoadTask,
  sendingsOf: (connection: number) => Sendings
): Promise<Measured> => {
  const range = Array.from({ length: connections }, (_, at) => at)
  const sendings = range.map(sendingsOf)
  const clients = range.map(() => connect(port))
  const latencies: Array<number> = []
  const from = now() + warmupSeconds * 1000
  const until = seconds > 0 ? from + seconds * 1000 : Infinity
  const cpu = (): CpuPerRequest => ({
    server: cpuSecondsOf(serverPid),
    postgres: cpuSecondsOf(postgresPid),
    client: cpuSecondsOf(process.pid)
  })
  const work = async (client: Client, next: Sendings) => {
    for (let sent = 0; now() < until; sent++) {
      const sending = next(sent)
      if (sending === undefined) return
      const start = now()
      const { body, statusCode } = await client.request(sending.request)
      const bytes = Buffer.from(await body.arrayBuffer())
      const end = now()
      if (start >= from && end < until) latencies.push(end - start)
      sending.onAnswer(statusCode, bytes)
    }
  }
  const working = Promise.all(clients.map((client, at) => work(client, sendings[at]!)))
  await Promise.race([sleepUntil(from), working])
  const before = cpu()
  await (seconds > 0 ? Promise.race([sleepUntil(until), working]) : working)
  const after = cpu()
  const taken = seconds > 0 ? seconds : (now() - from) / 1000
  await working
  await Promise.all(clients.map((client) => client.close()))
  if (seconds > 0 && latencies.length === 0) {
    throw new Error("no request was answered in the time; raise --seconds")
  }
  return measuredOf(latencies, taken, {
    server: after.server - before.server,
    postgres: after.postgres - before.postgres,
    client: after.client - before.client
  })
}
