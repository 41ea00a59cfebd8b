/**
 * The limit: `pgbench` sends the statements of our store over the same TCP address, as prepared statements, and does
 * nothing else.
 *
 * Each transaction is BEGIN, `intake_load`, `intake_apply`, COMMIT for one document with the plan that our own code makes for
 * it, and so writes the same rows. pgbench cannot make plans, so they are made beforehand and lie in the table
 * `bench.plan`; `intake_apply` takes its plan from there rather than from a parameter. An OVERWRITE names the items
 * that it removes, whose ids are new each time: a subquery reads them. README.md says what that costs the limit.
 */
import { decide } from "@dockline/core/Decision"
import * as DocumentInput from "@dockline/core/DocumentInput"
import { IntakeStore } from "@dockline/core/IntakeStore"
import * as Slices from "@dockline/core/internal/input/Slices"
import type { Snapshot } from "@dockline/core/Plan"
import * as Database from "@dockline/sql-storage/Database"
import { planRows } from "@dockline/sql-storage/rows/PlanRows"
import * as SqlIntakeStore from "@dockline/sql-storage/stores/SqlIntakeStore"
import { Effect, Layer, Redacted } from "effect"
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { attempt, BenchError } from "../BenchError.ts"
import type { BenchDatabase, Cluster } from "../Cluster.ts"
import { cpuSecondsOf } from "../Cpu.ts"
import { measuredOf } from "../Load.ts"
import * as Processes from "../Processes.ts"
import { documentOf, place, strategies } from "./Documents.ts"
import type { Strategy, Variant } from "./Documents.ts"

/** `pgbench --version`, or what to do without it. */
export const version = Processes.run("pgbench", ["--version"], {}, () => Effect.void).pipe(
  Effect.map(([output]) => output.trim().replace(/ \(Debian.*/, "")),
  Effect.mapError(() =>
    new BenchError({
      message:
        "pgbench is not on the PATH. It comes with PostgreSQL (Debian: apt install postgresql-contrib, " +
        "or postgresql-15). Without it: --no-limit."
    })
  )
)

/** What a run of pgbench is told. */
export interface LimitTask {
  readonly workload: Strategy
  readonly connections: number
  readonly ordersPerConnection: number
  readonly warmupSeconds: number
  readonly seconds: number
}

/** Every item of every order differs from this, so that a MERGE has all of them to write. */
const withOtherItems = (snapshot: Snapshot): Snapshot => ({
  ...snapshot,
  target: snapshot.target === null ? null : {
    ...snapshot.target,
    orders: snapshot.target.orders.map((order) => ({
      ...order,
      items: order.items.map((item) => ({ ...item, lot: "other" }))
    }))
  }
})

interface PlanRow {
  readonly workload: Strategy
  readonly connection: number
  readonly order: number
  readonly variant: Variant
  readonly order_id: string
  readonly plans: string
  /** An array of texts. */
  readonly items: string
}

/** The plans of the store for every document of the benchmark, on a database that holds the orders already. */
const plans = Effect.fnUntraced(function*(
  connections: number,
  ordersPerConnection: number,
  facilityId: number,
  items: number
) {
  const store = yield* IntakeStore
  const read = DocumentInput.reader()
  const planOf = Effect.fnUntraced(
    function*(workload: Strategy, connection: number, order: number, variant: Variant) {
      const document = yield* Effect.fromResult(read(documentOf(connection, order, variant, workload, items)))
      const { plan, snapshot } = yield* store.transact(
        document,
        (snapshot) => decide(document, withOtherItems(snapshot)),
        { dryRun: true }
      )
      const rows = Slices.atOnce(planRows([{ facilityId, plan, snapshot, now: snapshot.now }]))
      const change = plan.orders[0]!.order
      if (change._tag === "Create") return yield* new BenchError({ message: "The orders are not there yet" })
      return {
        workload,
        connection,
        order,
        variant,
        order_id: change.order.id,
        plans: rows.plans,
        // A JSON text of a list of texts is one of PostgreSQL where it holds no other escapes.
        items: `{${JSON.stringify(rows.items).slice(1, -1)}}`
      } satisfies PlanRow
    }
  )
  const all = strategies.flatMap((workload) =>
    Array.from({ length: connections * ordersPerConnection * 2 }, (_, index) =>
      planOf(
        workload,
        Math.floor(index / 2 / ordersPerConnection),
        Math.floor(index / 2) % ordersPerConnection,
        index % 2 === 0 ? 0 : 1
      ))
  )
  return yield* Effect.all(all, { concurrency: 8 })
})

const facilityOf = ({ name, sql }: Pick<BenchDatabase, "name" | "sql">) =>
  Effect.map(
    attempt(name, () =>
      sql<[{ id: string; businessId: string }]>`select f.id, f.business_id::text as "businessId"
        from dockline.facility f join dockline.business b on b.id = f.business_id
        where b.slug = ${place.business} and f.slug = ${place.facility}`),
    ([facility]) =>
      facility
  )

/** Makes the table of plans in a database whose orders have been created. */
export const prepare = Effect.fnUntraced(
  function*(
    { name, sql, url }: BenchDatabase,
    connections: number,
    ordersPerConnection: number,
    items: number
  ) {
    const facility = yield* facilityOf({ name, sql })
    const rows = yield* plans(connections, ordersPerConnection, Number(facility.id), items).pipe(
      Effect.provide(
        SqlIntakeStore.layer.pipe(
          Layer.provide(Database.layer({ ...Database.defaultDatabaseConfig, url: Redacted.make(url) }))
        )
      ),
      Effect.mapError((error) => new BenchError({ message: `plans for pgbench: ${String(error)}` }))
    )
    yield* attempt("plans for pgbench", async () => {
      await sql`create schema bench`
      await sql`create unlogged table bench.plan (
        workload text, connection int, "order" int, variant int, order_id bigint, plans text storage plain,
        items text storage plain,
        primary key (workload, connection, "order", variant)
      )`
      for (let at = 0; at < rows.length; at += 500) {
        await sql`insert into bench.plan ${sql(rows.slice(at, at + 500))}`
      }
      await sql`vacuum (analyze) bench.plan`
    })
  }
)

const removedItems = `(select array[array_agg(1)::text, array_agg(i.id)::text] from dockline.order_item i
    where i.business_id = :business and i.order_id = p.order_id)`

/** One transaction. pgbench takes a colon and a name for a variable, so there are none in the texts. */
const scriptOf = (workload: Strategy) =>
  `\\set order random(0, :orders - 1)
\\set variant random(0, 1)
begin;
select dockline.intake_load(:business::bigint, array['${place.facility}'], array['D1'], array['OUTBOUND'],
  array['=B-' || :client_id || '-' || :order], array[1], array['=B-' || :client_id || '-' || :order], false) as loaded;
select dockline.intake_apply(:business::bigint, now(), p.plans::jsonb, ${
    workload === "OVERWRITE" ? removedItems : "'{}'"
  }, p.items::text[], '{}', '', '{}', '{}') as ids
from bench.plan p where p.workload = '${workload}'
  and p.connection = :client_id and p."order" = :order and p.variant = :variant;
commit;
`

const temporaryFolder = (parent: string) =>
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(parent, "dockline-pgbench-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  )

interface Window {
  readonly from: number
  readonly seconds: number
  readonly client: number
  readonly postgres: number
}

/** Reads the CPU times after the warm-up and shortly before the end. */
const watch = (task: LimitTask, pid: number, postgresPid: number): Effect.Effect<Window> =>
  Effect.gen(function*() {
    const read = Effect.sync(() => ({
      at: Date.now(),
      client: cpuSecondsOf(pid),
      postgres: cpuSecondsOf(postgresPid)
    }))
    yield* Effect.sleep(task.warmupSeconds * 1000)
    const before = yield* read
    yield* Effect.sleep(task.seconds * 1000 - 200)
    const after = yield* read
    return {
      from: before.at,
      seconds: (after.at - before.at) / 1000,
      client: after.client - before.client,
      postgres: after.postgres - before.postgres
    }
  })

/** Runs pgbench and measures what lies after the warm-up. */
export const measure = Effect.fnUntraced(
  function*(cluster: Cluster, { sql, url, name }: BenchDatabase, task: LimitTask, parent: string) {
    const folder = yield* temporaryFolder(parent)
    const script = join(folder, "transaction.sql")
    writeFileSync(script, scriptOf(task.workload))
    const facility = yield* facilityOf({ name, sql })
    const { pathname, username } = new URL(url)
    const args = [
      "--no-vacuum",
      "--protocol=prepared",
      "--jobs=2",
      "--log",
      `--log-prefix=${join(folder, "log")}`,
      `--client=${task.connections}`,
      `--time=${task.warmupSeconds + task.seconds}`,
      `--define=orders=${task.ordersPerConnection}`,
      `--define=business=${facility.businessId}`,
      `--file=${script}`,
      "--host=127.0.0.1",
      `--port=${cluster.port}`,
      `--username=${username}`,
      pathname.slice(1)
    ]
    const [, window] = yield* Processes.run(
      "pgbench",
      args,
      { PGPASSWORD: cluster.password },
      (pid) => watch(task, pid, cluster.pid)
    )
    const latencies = readdirSync(folder).filter((name) => name.startsWith("log")).flatMap((name) =>
      readFileSync(join(folder, name), "utf8").trim().split("\n").map((line) => line.split(" ").map(Number))
        // client, transaction, microseconds, script, seconds and microseconds of the end
        .filter(([, , , , seconds, micros]) => {
          const end = seconds! * 1000 + micros! / 1000 - window.from
          return end >= 0 && end < window.seconds * 1000
        })
        .map(([, , micros]) => micros! / 1000)
    )
    return measuredOf(latencies, window.seconds, {
      server: Number.NaN,
      postgres: window.postgres,
      client: window.client
    })
  },
  Effect.scoped
)
