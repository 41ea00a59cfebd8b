/**
 * Benchmark (a): `pushMessages` of 1,000 messages from PostgreSQL, the same resolver on each server, all of them on
 * one database.
 */
import { Effect } from "effect"
import { isDeepStrictEqual } from "node:util"
import { attempt, BenchError, say } from "../BenchError.ts"
import type { BenchDatabase, Cluster } from "../Cluster.ts"
import type { Measured } from "../load/Task.ts"
import * as Processes from "../Processes.ts"
import type { Server } from "../Servers.ts"
import { historyContestants, start, titles } from "./Contestants.ts"
import type { StartOptions } from "./Contestants.ts"
import type { HistoryTask } from "./HistoryLoad.ts"
import { openLog } from "./Log.ts"
import { draftOf, historyBodies, pageSize, path } from "./Workload.ts"

/** How it is measured. */
export interface HistoryOptions extends StartOptions {
  readonly rounds: number
  readonly warmup: number
  readonly seconds: number
  readonly connections: number
  /** Messages in the log; pages of it are asked for in turn. */
  readonly messages: number
}

/** One measurement. */
export interface HistoryLeg {
  readonly round: number
  readonly contestant: (typeof historyContestants)[number]
  readonly measured: Measured
}

/** What is reported. */
export interface HistoryResult {
  readonly legs: ReadonlyArray<HistoryLeg>
  /** Bytes of one answer, on average. */
  readonly answerBytes: number
  /** Whether all answers were the same to the byte; their data always is. */
  readonly sameBytes: boolean
}

/** Messages in one append while the log is filled. */
const batch = 500

/** Fills the log; returns after which id each page of it begins. */
const fill = (database: BenchDatabase, messages: number) =>
  attempt("filling the log", async () => {
    const log = await openLog(database.url, 2)
    const ids: Array<number> = []
    for (let from = 0; from < messages; from += batch) {
      const count = Math.min(batch, messages - from)
      const appended = await log.append(Array.from({ length: count }, (_, at) => draftOf(from + at)))
      for (const { id } of appended) ids.push(id)
    }
    await log.close()
    await database.sql`vacuum (analyze) dockline.message, dockline.message_log`
    const pages = Math.floor(messages / pageSize)
    return Array.from({ length: pages }, (_, page) => page === 0 ? 0 : ids[page * pageSize - 1]!)
  })

const post = (server: Server, body: string, token: string | undefined) =>
  attempt(server.name, () =>
    fetch(`http://127.0.0.1:${server.port}${path}`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json",
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` })
      },
      body
    }).then(async (response) => ({ status: response.status, text: await response.text() })))

interface Answered {
  readonly data?: { readonly pushMessages?: ReadonlyArray<{ readonly id: number }> }
}

/** Every page from a server, each with all of its messages; and a refusal without a token and with a bad one. */
const pagesOf = Effect.fnUntraced(function*(server: Server, bodies: ReadonlyArray<string>) {
  for (const token of [undefined, "nonsense", `${server.token.slice(0, -8)}AAAAAAAA`]) {
    const { status } = yield* post(server, bodies[0]!, token)
    if (status !== 401) {
      return yield* new BenchError({ message: `${server.name} answered ${status} to a missing or bad token` })
    }
  }
  const texts: Array<string> = []
  for (const body of bodies) {
    const { status, text } = yield* post(server, body, server.token)
    const messages = status === 200 ? (JSON.parse(text) as Answered).data?.pushMessages : undefined
    if (messages?.length !== pageSize) {
      return yield* new BenchError({ message: `${server.name} answered ${status} ${text.slice(0, 1000)}` })
    }
    texts.push(text)
  }
  return texts
})

const load = Effect.fnUntraced(function*(task: HistoryTask) {
  const child = yield* Processes.startNode("graphql/HistoryLoad.ts", {}, { ipc: true })
  return yield* Processes.ask<Measured>(child, task)
}, Effect.scoped)

/** Runs the benchmark. */
export const history = Effect.fnUntraced(function*(cluster: Cluster, options: HistoryOptions) {
  yield* say(`(a) Filling a log with ${options.messages} messages`)
  const database = yield* cluster.database("bench_history")
  const bodies = historyBodies(yield* fill(database, options.messages))
  const contestants = yield* Effect.forEach(historyContestants, (contestant) =>
    Effect.gen(function*() {
      const server = yield* start(contestant, database, options)
      return { contestant, server, texts: yield* pagesOf(server, bodies) }
    }))
  const [first, ...others] = contestants
  for (const { server, texts } of others) {
    const different = texts.findIndex((text, at) =>
      !isDeepStrictEqual(JSON.parse(text), JSON.parse(first!.texts[at]!))
    )
    if (different >= 0) {
      return yield* new BenchError({
        message: `${server.name} and ${first!.server.name} answer page ${different} differently`
      })
    }
  }
  const sameBytes = others.every(({ texts }) => texts.every((text, at) => text === first!.texts[at]))
  yield* say(`(a) All give the same ${bodies.length} answers${sameBytes ? ", to the byte" : ""}`)

  const measure = ({ server, texts }: (typeof contestants)[number], warmupSeconds: number, seconds: number) =>
    load({
      port: server.port,
      path,
      token: server.token,
      connections: options.connections,
      warmupSeconds,
      seconds,
      requests: bodies.map((body, at) => ({ body, answerBytes: Buffer.byteLength(texts[at]!) })),
      serverPid: server.pid,
      postgresPid: cluster.pid
    })
  yield* say("(a) Warming up")
  for (const each of contestants) yield* measure(each, 0, Math.max(options.warmup, 3))

  const legs: Array<HistoryLeg> = []
  for (let round = 1; round <= options.rounds; round++) {
    for (const each of round % 2 === 1 ? contestants : contestants.toReversed()) {
      const { contestant } = each
      const measured = yield* measure(each, options.warmup, options.seconds)
      legs.push({ round, contestant, measured })
      const { p50, p99, perSecond } = measured
      yield* say(
        `(a) [${legs.length}/${options.rounds * contestants.length}] round ${round} ${
          titles[contestant].padEnd(18)
        } ` +
          `${perSecond.toFixed(1).padStart(6)} requests/s, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`
      )
    }
  }
  const total = first!.texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  return { legs, answerBytes: total / bodies.length, sameBytes } satisfies HistoryResult
}, Effect.scoped)
