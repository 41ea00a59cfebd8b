/**
 * The PostgreSQL of a run: the embedded server on a temporary folder, with a database for each contestant.
 */
import { sqlCapabilities } from "@dockline/server/Capabilities"
import * as DemoData from "@dockline/server/lifecycle/DemoData"
import * as Database from "@dockline/sql-storage/connections/Database"
import * as EmbeddedPostgres from "@dockline/sql-storage/embedded/EmbeddedPostgres"
import * as Migrations from "@dockline/sql-storage/schema/Migrations"
import * as Sql from "@dockline/sql-storage/Sql"
import { Effect, Redacted, Scope } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import postgres from "postgres"
import { attempt, BenchError } from "./BenchError.ts"
import { fileSystemOf } from "./Machine.ts"

/** A database of one contestant, migrated and with the demo data. */
export interface BenchDatabase {
  readonly name: string
  readonly url: string
  /** A connection for the benchmark's own queries. */
  readonly sql: postgres.Sql
}

/** A running PostgreSQL. */
export interface Cluster {
  readonly pid: number
  readonly port: number
  readonly password: string
  /** `server_version`, `fsync`, `synchronous_commit`, `shared_buffers`. */
  readonly settings: Readonly<Record<string, string>>
  readonly database: (name: string) => Effect.Effect<BenchDatabase, BenchError>
  /** A database without a table. */
  readonly empty: (name: string) => Effect.Effect<BenchDatabase, BenchError>
  /** Puts a database in the same state before each measurement: no dead rows, no dirty pages, fresh statistics. */
  readonly settle: (database: BenchDatabase) => Effect.Effect<void, BenchError>
}

/** The folder for databases, by default the system's: one that is on a disk. */
export const onDisk = (directory: string = tmpdir()): Effect.Effect<string, BenchError> =>
  fileSystemOf(directory) === "tmpfs"
    ? Effect.fail(
      new BenchError({
        message:
          `${directory} is in memory, where fsync costs nothing; name a folder on a disk with --directory`
      })
    )
    : Effect.succeed(directory)

const folder = (parent: string) =>
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(parent, "dockline-bench-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  )

const connection = (url: string) =>
  Effect.acquireRelease(
    Effect.sync(() => postgres(url, { max: 1, onnotice: () => {} })),
    (sql) => Effect.promise(() => sql.end({ timeout: 1 }))
  )

/** Starts PostgreSQL below the folder `parent`; all of it is gone when the scope closes. */
export const make = Effect.fnUntraced(function*(parent: string) {
  const scope = yield* Effect.scope
  const server = yield* EmbeddedPostgres.make({
    directory: yield* folder(parent),
    // The embedded default of 50 serves one instance; here two servers hold connections at once.
    settings: { max_connections: "150" }
  }).pipe(Effect.mapError(({ message }) => new BenchError({ message })))
  const admin = yield* connection(Redacted.value(server.url))
  const rows = yield* attempt("PostgreSQL", () =>
    admin`select name, setting from pg_settings
    where name in ('server_version', 'fsync', 'synchronous_commit', 'full_page_writes')`)

  const empty = Effect.fnUntraced(function*(name: string) {
    yield* attempt(name, () => admin.unsafe(`create database ${name}`))
    const url = new URL(Redacted.value(server.url))
    url.pathname = `/${name}`
    const sql = yield* connection(url.href)
    return { name, url: url.href, sql }
  }, Scope.provide(scope))

  const database = (name: string) => empty(name).pipe(Effect.tap(({ url }) => migrate(url)))

  const settle = ({ name, sql }: BenchDatabase) =>
    attempt(name, async () => {
      await sql`vacuum (analyze) dockline.shipment, dockline.customer_order, dockline.order_item`
      // Our user must not run CHECKPOINT, but copying and dropping a database make PostgreSQL do it.
      await admin`create database bench_checkpoint template template0 strategy file_copy`
      await admin`drop database bench_checkpoint`
    })

  return {
    pid: server.pid,
    port: server.port,
    password: new URL(Redacted.value(server.url)).password,
    settings: Object.fromEntries(rows.map((row) => [String(row["name"]), String(row["setting"])])),
    database,
    empty,
    settle
  } satisfies Cluster
})

/** The schema of the service and its demo data, which every contestant works on. */
const migrate = (url: string) =>
  Migrations.migrateWith(sqlCapabilities).pipe(
    Effect.andThen(DemoData.install.pipe(Effect.provide(Sql.layer))),
    Effect.provide(Database.layer({ ...Database.defaultDatabaseConfig, url: Redacted.make(url) })),
    Effect.mapError((error) => new BenchError({ message: `migration: ${String(error)}` }))
  )
