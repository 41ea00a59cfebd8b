/**
 * One real PostgreSQL for a whole test run: our own embedded one, on a free port, in a temporary folder, unless
 * `TEST_POSTGRES_URL` names another one (`lab/matrix`); with `TEST_POSTGRES_WORKERS` it is the coordinator of a Citus cluster, in
 * which each database is one of all nodes (`lab/citus`). It is started before the first test file and stopped after the last;
 * test files make databases of their own in it, most of them copies of one that is migrated here.
 */
import { PgClient } from "@effect/sql-pg"
import { Effect, Exit, Redacted, Scope } from "effect"
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { TestProject } from "vitest/node"
// By path: the conditions that resolve a package name to its source do not apply to this file.
import * as EmbeddedPostgres from "../../packages/sql-storage/src/embedded/EmbeddedPostgres.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** The URL of the server's own database. */
    readonly postgresUrl: string
    /** The URLs of the workers of a cluster. */
    readonly workerUrls: ReadonlyArray<string>
    /** The name of a migrated database that nobody may connect to: databases are copied from it. */
    readonly migratedDatabase: string
    /** The way to copy databases: by their files if PostgreSQL supports it (15), which takes half the processor time. */
    readonly copyStrategy: "" | "strategy file_copy"
  }
}

/** Nothing of this server outlives the run, so it does not have to wait for the disk. */
const settings = {
  fsync: "off",
  full_page_writes: "off",
  synchronous_commit: "off",
  max_wal_size: "256MB",
  // Two instances in each of three workers, and connections that the last file of each has not closed yet.
  max_connections: "200"
}

const migratedDatabase = "migrated"

const asOwner = <A extends object>(url: string | URL, statement: string) =>
  Effect.scoped(
    Effect.flatMap(PgClient.PgClient, (sql) => sql.unsafe<A>(statement)).pipe(
      Effect.provide(PgClient.layer({ url: Redacted.make(String(url)) }))
    )
  )

const inDatabase = (url: string, name: string): URL => Object.assign(new URL(url), { pathname: `/${name}` })

/** Makes the database from which others are copied; returns the way to copy it. */
const migrate = Effect.fnUntraced(function*(url: string, workers: ReadonlyArray<string>) {
  const nodes = [url, ...workers]
  const coordinator = inDatabase(url, migratedDatabase)
  for (const node of nodes) {
    yield* asOwner(node, `create database ${migratedDatabase}`)
    if (workers.length > 0) yield* asOwner(inDatabase(node, migratedDatabase), "create extension citus")
  }
  for (const [at, node] of nodes.entries()) {
    const { hostname, port } = new URL(node)
    const add = at === 0 ? "citus_set_coordinator_host" : "citus_add_node"
    if (workers.length > 0) yield* asOwner(coordinator, `select ${add}('${hostname}', ${port})`)
  }
  const program = join(import.meta.dirname, "database/MigrateDatabase.ts")
  const args = workers.length > 0 ? ["--distribute"] : []
  yield* Effect.sync(() =>
    execFileSync(process.execPath, ["--conditions=@dockline/source", program, coordinator.href, ...args])
  )
  // A connection to it would keep others from copying it, and so does the background worker of Citus.
  for (const node of nodes) {
    yield* asOwner(node, `alter database ${migratedDatabase} allow_connections false`)
    yield* asOwner(
      node,
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${migratedDatabase}'`
    )
  }
  const [version] = yield* asOwner<{ readonly number: number }>(
    url,
    "select current_setting('server_version_num')::int as number"
  )
  return version!.number < 150_000 ? "" : "strategy file_copy"
})

export default async (project: TestProject): Promise<() => Promise<void>> => {
  const directory = mkdtempSync(join(tmpdir(), "dockline-test-"))
  const scope = Scope.makeUnsafe()
  const url = process.env["TEST_POSTGRES_URL"] ??
    Redacted.value(
      (await Effect.runPromise(Scope.provide(EmbeddedPostgres.make({ directory, settings }), scope))).url
    )
  const workers = (process.env["TEST_POSTGRES_WORKERS"] ?? "").split(",").filter((each) => each !== "")
  project.provide("copyStrategy", await Effect.runPromise(migrate(url, workers)))
  project.provide("postgresUrl", url)
  project.provide("workerUrls", workers)
  project.provide("migratedDatabase", migratedDatabase)
  return async () => {
    await Effect.runPromise(Scope.close(scope, Exit.void))
    rmSync(directory, { recursive: true, force: true })
  }
}
