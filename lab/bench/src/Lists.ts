/**
 * `bench lists`: how long every list takes if one tenant has a million shipments and others have three.
 *
 * Over HTTP, from the bundled server, one request at a time; a page has 100 entries at most.
 */
import { hashSecret } from "@dockline/http-adapter/tokens/Clients"
import { Effect } from "effect"
import * as Tenants from "../../../packages/sql-storage/test/ListTenants.ts"
import { attempt, BenchError, say } from "./BenchError.ts"
import * as Cluster from "./Cluster.ts"
import type { BenchDatabase } from "./Cluster.ts"
import { cpuSecondsOf } from "./Cpu.ts"
import { askers, requests } from "./lists/Requests.ts"
import type { Asker, Marks, Request } from "./lists/Requests.ts"
import * as Machine from "./Machine.ts"
import { median, percentile, publish } from "./Report.ts"
import type { Common } from "./Report.ts"
import * as Servers from "./Servers.ts"

/** The options of the command line. */
export interface ListsOptions extends Common {
  readonly shipments: number
  readonly events: number
  readonly tenants: number
  readonly endpoints: number
  readonly rounds: number
  readonly pool: number
}

/** One page, measured. */
interface Leg {
  readonly request: Request
  /** The number of entries of the page. */
  readonly entries: number
  /** Milliseconds from the request to the last byte of the answer. */
  readonly times: ReadonlyArray<number>
  /** Milliseconds of CPU time for each answer: other work of the machine adds little to it. */
  readonly cpu: { readonly server: number; readonly postgres: number }
}

/** The limit for the median of each page, in milliseconds. */
const aim = 20

const columns = [
  "list",
  "client",
  "filter",
  "page",
  "entries",
  "p50 ms",
  "p99 ms",
  "server CPU ms",
  "PostgreSQL CPU ms"
]

const rowOf = ({ cpu, entries, request: { asker, filter, list, page }, times }: Leg) => [
  list,
  asker,
  filter,
  page,
  String(entries),
  median(times).toFixed(1),
  percentile(times, 0.99).toFixed(1),
  cpu.server.toFixed(1),
  cpu.postgres.toFixed(1)
]

/** The number of the slowest pages that are shown. */
const slowest = 40

const slowestOf = (legs: ReadonlyArray<Leg>): ReadonlyArray<Leg> =>
  legs.toSorted((left, right) => median(right.times) - median(left.times)).slice(0, slowest)

/** For each list: the number of pages, and the middle and the highest of their medians. */
const perList = (legs: ReadonlyArray<Leg>): ReadonlyArray<ReadonlyArray<string>> =>
  Array.from(Map.groupBy(legs, ({ request }) => request.list), ([list, own]) => {
    const medians = own.map(({ times }) => median(times))
    return [list, String(own.length), median(medians).toFixed(1), Math.max(...medians).toFixed(1)]
  })

const summaryOf = (legs: ReadonlyArray<Leg>, slow: number): string => {
  const medians = legs.map(({ times }) => median(times))
  return `${legs.length} pages; medians ${Math.min(...medians).toFixed(1)} to ${
    Math.max(...medians).toFixed(1)
  } ms, half of them below ${median(medians).toFixed(1)} ms; aim: each below ${aim} ms: ${
    slow === 0 ? "met" : `not met by ${slow}`
  }`
}

const idOf = (asker: Asker): string => asker === "operator" ? asker : `${asker}-asker`

const fill = Effect.fnUntraced(function*({ sql }: BenchDatabase, options: ListsOptions) {
  const statements = [...Tenants.fill(options), ...Tenants.more(options)]
  for (const [index, statement] of statements.entries()) {
    const { count } = yield* attempt("fill", () => sql.unsafe(statement))
    yield* say(`${index + 1} of ${statements.length}: ${count} rows`)
  }
  // Nothing must be delivered meanwhile.
  yield* attempt(
    "fill",
    () => sql`update dockline.webhook_endpoint set enabled = false, disabled_reason = 'OPERATOR'`
  )
  for (const [asker, places] of Object.entries(askers)) {
    const id = idOf(asker as Asker)
    const secrets = JSON.stringify([{ id: "bench", hash: hashSecret(`${id}-secret`) }])
    const grants = JSON.stringify(places.map((place) => ({ ...place, permissions: ["messages:read"] })))
    yield* attempt("clients", () =>
      sql`insert into dockline.client (id, name, enabled, secrets, grants)
        values (${id}, ${id}, true, ${secrets}::text::jsonb, ${grants}::text::jsonb)`)
  }
  yield* say("Vacuuming")
  yield* attempt("vacuum", () => sql.unsafe(Tenants.settle))
})

const marksOf = ({ sql }: BenchDatabase) =>
  attempt("marks", async () => {
    const [row] = await sql`select (select max(id) * 9 / 10 from dockline.shipment)::float8 as shipment,
      (select max(id) * 9 / 10 from dockline.customer_order)::float8 as order,
      (select json_object_agg(b.slug, case b.slug when 'small' then l.last_id - 1 else l.last_id * 9 / 10 end)
        from dockline.message_log l join dockline.business b on b.id = l.business_id
        where b.slug in ('large', 'small', 'closing')) as messages,
      (select max(id) * 9 / 10 from dockline.webhook_endpoint)::float8 as endpoint,
      (select dockline.rfc3339(received_at) || '_' || id from dockline.document_record
        where id >= (select max(id) / 10 from dockline.document_record) order by id limit 1) as document,
      (select dockline.rfc3339(min(received_at) + (max(received_at) - min(received_at)) / 2)
        from dockline.document_record) as "receivedAt",
      (select s.id from dockline.shipment s join dockline.facility f on f.id = s.facility_id
        join dockline.business l on l.id = f.business_id
        where l.slug = 'large' and f.slug = 'main' and s.number = 'S-2')::float8 as usual,
      (select id from dockline.shipment where number = 'LARGEST')::float8 as largest,
      min(e.id) filter (where b.slug = 'large')::float8 as delivered,
      (min(e.id) filter (where b.slug = 'large') + 1)::float8 as dead,
      min(e.id) filter (where b.slug = 'small')::float8 as "ofSmall"
      from dockline.webhook_endpoint e join dockline.business b on b.id = e.business_id where e.cursor_id > 0`
    return row as unknown as Marks
  })

/** The server and the client of requests. */
interface Place {
  readonly cluster: Cluster.Cluster
  readonly server: Servers.Server
  readonly tokens: ReadonlyMap<Asker, string>
}

/** Reads the first lines of a table, and no more of it; returns the number of entries. */
const firstLines = async (response: Response): Promise<number> => {
  const reader = response.body!.getReader()
  const { value } = await reader.read()
  await reader.cancel()
  return new TextDecoder().decode(value).split("\r\n").length - 2
}

/** Sends one request; returns its duration and the number of entries. */
const ask = (server: Servers.Server, tokens: ReadonlyMap<Asker, string>, request: Request) =>
  attempt(request.path, async () => {
    const { asker, page, path, query } = request
    const begun = performance.now()
    const response = await fetch(`http://127.0.0.1:${server.port}${path}`, {
      method: query === undefined ? "GET" : "POST",
      headers: {
        authorization: `Bearer ${tokens.get(asker)}`,
        "content-type": "application/json",
        accept: page === "lines" ? "text/csv" : "application/json"
      },
      ...(query === undefined ? {} : { body: JSON.stringify({ query }) })
    })
    if (page === "lines" && response.status === 200) {
      return { entries: await firstLines(response), millis: performance.now() - begun }
    }
    const text = await response.text()
    const millis = performance.now() - begun
    const body = JSON.parse(text) as Record<string, unknown>
    if (response.status !== 200 || "errors" in body) {
      throw new Error(`${response.status} ${text.slice(0, 300)} ${query}`)
    }
    const data = (query === undefined ? body : Object.values(body["data"] as object)[0]) as object
    const entries = Array.isArray(data) ? data : Object.values(data).find((value) => Array.isArray(value))
    return { millis, entries: (entries as ReadonlyArray<unknown>).length }
  })

const measureOne = Effect.fnUntraced(
  function*({ cluster, server, tokens }: Place, request: Request, rounds: number) {
    let entries = 0
    const times: Array<number> = []
    const [serverCpu, postgresCpu] = [cpuSecondsOf(server.pid), cpuSecondsOf(cluster.pid)]
    for (let n = 0; n < rounds; n++) {
      const answer = yield* ask(server, tokens, request)
      entries = answer.entries
      times.push(answer.millis)
    }
    const cpu = {
      server: (cpuSecondsOf(server.pid) - serverCpu) * 1000 / rounds,
      postgres: (cpuSecondsOf(cluster.pid) - postgresCpu) * 1000 / rounds
    }
    return { request, entries, times, cpu } satisfies Leg
  }
)

/**
 * The list of endpoints of the large tenant once each has more waiting than is counted: after the two whose record reaches far
 * beyond their cursors then, which that of no endpoint does.
 */
const behind = ({ dead }: Marks): Request => ({
  list: "GET /v1/operator/webhook-endpoints",
  asker: "operator",
  filter: "none, each far behind",
  page: "first",
  path: `/v1/operator/webhook-endpoints?after=${dead}`
})

const measure = Effect.fnUntraced(function*(cluster: Cluster.Cluster, options: ListsOptions) {
  const database = yield* cluster.database("bench_lists")
  yield* say(`Making ${options.shipments} shipments, and what belongs to them`)
  yield* fill(database, options)
  const server = yield* Servers.startDockline(database, options.pool)
  const tokens = new Map<Asker, string>()
  for (const asker of [...Object.keys(askers), "operator"] as ReadonlyArray<Asker>) {
    tokens.set(asker, yield* Servers.requestToken(Servers.urlOf(server), idOf(asker)))
  }
  const place: Place = { cluster, server, tokens }
  const marks = yield* marksOf(database)
  const all = requests(marks)
  yield* say(`Measuring ${all.length} pages, ${options.rounds} times each`)
  for (const request of all) yield* ask(server, tokens, request)
  const legs: Array<Leg> = []
  for (const request of all) legs.push(yield* measureOne(place, request, options.rounds))
  yield* attempt("endpoints", () => database.sql`update dockline.webhook_endpoint set cursor_id = 1`)
  legs.push(yield* measureOne(place, behind(marks), options.rounds))
  return legs
}, Effect.scoped)

/** Runs the benchmark; it fails if a list takes longer than it may. */
export const lists = Effect.fnUntraced(function*(options: ListsOptions) {
  const directory = yield* Cluster.onDisk(options.directory)
  yield* say("Starting PostgreSQL")
  const cluster = yield* Cluster.make(directory)
  const legs = yield* measure(cluster, options)
  const slow = legs.filter(({ request, times }) => median(times) >= (request.aim ?? aim))
  yield* publish({
    name: "lists",
    title: "Lists",
    note: "Medians of all requests of a page.",
    facts: [
      Machine.describe(cluster, directory, ["effect", "@effect/sql-pg"]),
      `${options.shipments} shipments, orders, messages and deliveries of an endpoint of the large tenant; ${options.events} pallet events; ` +
      `${options.tenants} other tenants; ${options.endpoints} endpoints; each page ${options.rounds} times, one at a time`,
      summaryOf(legs, slow.length)
    ],
    sections: [
      { title: "Lists", columns: ["list", "pages", "half below ms", "slowest ms"], rows: perList(legs) },
      { title: `The ${slowest} slowest pages`, columns, rows: slowestOf(legs).map(rowOf), texts: 4 }
    ]
  }, options.write)
  if (slow.length > 0) {
    return yield* new BenchError({ message: `${slow.length} pages take ${aim} ms or more` })
  }
}, Effect.scoped)
