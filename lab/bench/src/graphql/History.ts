/**
 * Benchmark (a): `pushMessages` of 1,000 messages from PostgreSQL, with the same resolver on each server and one database for all.
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
import { urlOf } from "../Servers.ts"
import type { Server } from "../Servers.ts"
import { startDockline, startPeer, titles } from "./Contestants.ts"
import type { GraphqlOptions } from "./Contestants.ts"
import type { HistoryTask } from "./load.ts"
import { openLog } from "./Log.ts"
import { draftOf, historyBodies, pageSize, path } from "./Workload.ts"

/** The aim for the ratio of Dockline to its peer. */
const aim = 1.3

/** Messages in one append while the log is filled. */
const batch = 500

/** Fills the log; returns the id after which each page begins. */
const fill = (database: BenchDatabase, messages: number) =>
  attempt("filling the log", async () => {
    const log = await openLog(database.url, 2)
    const afterIds = [0]
    for (let from = 0; from < messages; from += batch) {
      const appended = await log.append(Array.from({ length: batch }, (_, at) => draftOf(from + at)))
      if ((from + batch) % pageSize === 0) afterIds.push(appended.at(-1)?.id ?? 0)
    }
    await log.close()
    await database.sql`vacuum (analyze) dockline.message, dockline.message_log`
    return afterIds.slice(0, Math.floor(messages / pageSize))
  })

const post = async (server: Server, body: string, token: string) => {
  const response = await fetch(`${urlOf(server)}${path}`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json",
      authorization: `Bearer ${token}`
    },
    body
  })
  return { status: response.status, text: await response.text() }
}

interface Answered {
  readonly data?: { readonly pushMessages?: ReadonlyArray<unknown> }
}

/** Reads every page from a server, each with all of its messages, and checks that a bad token is refused. */
const pagesOf = (server: Server, bodies: ReadonlyArray<string>) =>
  attempt(server.name, async () => {
    const { status } = await post(server, bodies[0] ?? "", `${server.token.slice(0, -8)}AAAAAAAA`)
    if (status !== 401) throw new Error(`answered ${status} to a bad token`)
    const texts: Array<string> = []
    for (const body of bodies) {
      const { status, text } = await post(server, body, server.token)
      const messages = status === 200 ? (JSON.parse(text) as Answered).data?.pushMessages : undefined
      if (messages?.length !== pageSize) throw new Error(`answered ${status} ${text.slice(0, 1000)}`)
      texts.push(text)
    }
    return texts
  })

/** Runs the benchmark. */
export const history = Effect.fnUntraced(function*(cluster: Cluster, options: GraphqlOptions) {
  yield* say(`(a) Filling a log with ${options.log} messages`)
  const database = yield* cluster.database("bench_history")
  const bodies = historyBodies(yield* fill(database, options.log))
  const dockline = yield* startDockline(database, options.pool)
  const yoga = yield* startPeer("yoga", dockline, database, options.pool)
  const contestants = [
    { contestant: "dockline", server: dockline, texts: yield* pagesOf(dockline, bodies) },
    { contestant: "yoga", server: yoga, texts: yield* pagesOf(yoga, bodies) }
  ] as const
  const [ours, theirs] = contestants.map(({ texts }) => texts.map((text): unknown => JSON.parse(text)))
  if (!isDeepStrictEqual(ours, theirs)) {
    return yield* new BenchError({ message: `${yoga.name} and Dockline answer differently` })
  }
  yield* say(`(a) Both give the same ${bodies.length} answers`)

  const measure = (
    { server, texts }: (typeof contestants)[number],
    warmupSeconds: number,
    seconds: number
  ) =>
    Processes.startNode("graphql/load.ts").pipe(
      Effect.flatMap((child) =>
        new Channel<HistoryTask>("load generator", child).asking<Measured>({
          port: server.port,
          token: server.token,
          connections: options.connections,
          warmupSeconds,
          seconds,
          requests: bodies.map((body, at) => ({ body, answerBytes: Buffer.byteLength(texts[at] ?? "") })),
          serverPid: server.pid,
          postgresPid: cluster.pid
        })
      ),
      Effect.scoped
    )
  for (const each of contestants) yield* measure(each, 0, Math.max(options.warmup, 3))
  const measured = yield* inRounds(
    options.rounds,
    contestants,
    (each) => measure(each, options.warmup, options.seconds),
    ({ server }, measured) => `(a) ${server.name.padEnd(18)} ${Load.describe(measured)}`
  )
  const legs = measured.map((leg) => ({ ...leg, contestant: leg.contestant.contestant }))
  const ratios = ratiosOf(legs, "dockline", "yoga", ({ perSecond }) => perSecond)
  return sectionsOf(`(a) pushMessages of ${pageSize} messages`, legs, titles, Load.figures, [
    ratioLine("Dockline / graphql-yoga", ratios, { least: aim }),
    "The answers of both are the same data"
  ])
}, Effect.scoped)
