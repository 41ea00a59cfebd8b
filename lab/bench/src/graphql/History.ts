/**
 * Benchmark (a): `pushMessages` of 1,000 messages from PostgreSQL, the same resolver on each server, all of them on
 * one database.
 */
import { Effect } from "effect"
import { isDeepStrictEqual } from "node:util"
import { attempt, BenchError, say } from "../BenchError.ts"
import { Channel } from "../Channel.ts"
import type { BenchDatabase, Cluster } from "../Cluster.ts"
import * as Load from "../Load.ts"
import type { Measured } from "../Load.ts"
import * as Processes from "../Processes.ts"
import { ratioLine, ratiosOf, sectionsOf } from "../Report.ts"
import { inRounds } from "../Rounds.ts"
import type { Server } from "../Servers.ts"
import { historyContestants, start, titles } from "./Contestants.ts"
import type { StartOptions } from "./Contestants.ts"
import type { HistoryTask } from "./load.ts"
import { openLog } from "./Log.ts"
import { draftOf, historyBodies, pageSize, path } from "./Workload.ts"

/** How it is measured. */
export interface HistoryOptions extends StartOptions {
  readonly rounds: number
  readonly warmup: number
  readonly seconds: number
  readonly connections: number
  /** Messages in the log; pages of it are asked for in turn. */
  readonly log: number
}

/** The aim: Dockline over its peer. */
const aim = 1.3

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
  const child = yield* Processes.startNode("graphql/load.ts", {}, { ipc: true })
  return yield* new Channel<HistoryTask>("load generator", child).asking<Measured>(task)
}, Effect.scoped)

/** Fails unless all servers give the same pages; says whether they are the same to the byte. */
const compare = Effect.fnUntraced(function*(contestants: ReadonlyArray<Ready>) {
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
  return others.every(({ texts }) => texts.every((text, at) => text === first!.texts[at]))
})

interface Ready {
  readonly contestant: (typeof historyContestants)[number]
  readonly server: Server
  readonly texts: ReadonlyArray<string>
}

/** Runs the benchmark. */
export const history = Effect.fnUntraced(function*(cluster: Cluster, options: HistoryOptions) {
  yield* say(`(a) Filling a log with ${options.log} messages`)
  const database = yield* cluster.database("bench_history")
  const bodies = historyBodies(yield* fill(database, options.log))
  const contestants = yield* Effect.forEach(historyContestants, (contestant) =>
    Effect.gen(function*() {
      const server = yield* start(contestant, database, options)
      return { contestant, server, texts: yield* pagesOf(server, bodies) } satisfies Ready
    }))
  const sameBytes = yield* compare(contestants)
  yield* say(`(a) All give the same ${bodies.length} answers${sameBytes ? ", to the byte" : ""}`)

  const measure = ({ server, texts }: Ready, warmupSeconds: number, seconds: number) =>
    load({
      port: server.port,
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
  const measured = yield* inRounds(
    options.rounds,
    contestants,
    (each) => measure(each, options.warmup, options.seconds),
    ({ contestant }, measured) => `(a) ${titles[contestant].padEnd(18)} ${Load.describe(measured)}`
  )
  const legs = measured.map((leg) => ({ ...leg, contestant: leg.contestant.contestant }))
  const ratios = ratiosOf(legs, "dockline", "yoga", ({ perSecond }) => perSecond)
  const bytes = contestants[0]!.texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0) / bodies.length
  return sectionsOf(`(a) pushMessages of ${pageSize} messages`, legs, titles, Load.figures, [
    ratioLine("Dockline / graphql-yoga", ratios, { least: aim }),
    `An answer has ${Math.round(bytes)} bytes; the answers of all are the same${
      sameBytes ? " to the byte" : " data"
    }`
  ])
}, Effect.scoped)
