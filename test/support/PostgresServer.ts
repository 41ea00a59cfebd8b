/**
 * One real PostgreSQL for a whole test run: our own embedded one, on a free port, in a temporary folder. It is started
 * before the first test file and stopped after the last; test files make databases of their own in it, most of them
 * copies of one that is migrated here.
 */
import { PgClient } from "@effect/sql-pg"
import { Effect, Exit, Redacted, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { TestProject } from "vitest/node"
// By path: the conditions that lead a package name to its source do not reach this file.
import * as EmbeddedPostgres from "../../packages/sql-storage/src/embedded/EmbeddedPostgres.ts"
import * as Migrations from "../../packages/sql-storage/src/Migrations.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** The URL of the server's own database. */
    readonly postgresUrl: string
    /** The name of a migrated database that nobody may connect to: databases are copied from it. */
    readonly migratedDatabase: string
  }
}

/** Nothing of this server outlives the run, so that nothing is lost when it does not wait for the disk. */
const settings = { fsync: "off", full_page_writes: "off", synchronous_commit: "off", max_wal_size: "256MB" }

const migratedDatabase = "migrated"

/** Makes the database that others are copies of. */
const migrate = Effect.fnUntraced(function*(url: URL) {
  const within = <A, E>(path: string, use: (sql: PgClient.PgClient) => Effect.Effect<A, E>) => {
    const place = Redacted.make(Object.assign(new URL(url), { pathname: path }).href)
    return Effect.scoped(
      Effect.flatMap(PgClient.PgClient, use).pipe(Effect.provide(PgClient.layer({ url: place })))
    )
  }
  yield* within(url.pathname, (sql) => sql.unsafe(`create database ${migratedDatabase}`))
  yield* within(
    `/${migratedDatabase}`,
    (sql) => Effect.provideService(Migrations.migrate, SqlClient.SqlClient, sql)
  )
  // Whoever is connected to it keeps others from copying it.
  yield* within(
    url.pathname,
    (sql) => sql.unsafe(`alter database ${migratedDatabase} allow_connections false`)
  )
})

export default async (project: TestProject): Promise<() => Promise<void>> => {
  const directory = mkdtempSync(join(tmpdir(), "dockline-test-"))
  const scope = Scope.makeUnsafe()
  const postgres = await Effect.runPromise(
    Scope.provide(EmbeddedPostgres.make({ directory, settings }), scope)
  )
  await Effect.runPromise(migrate(new URL(Redacted.value(postgres.url))))
  project.provide("postgresUrl", Redacted.value(postgres.url))
  project.provide("migratedDatabase", migratedDatabase)
  return async () => {
    await Effect.runPromise(Scope.close(scope, Exit.void))
    rmSync(directory, { recursive: true, force: true })
  }
}
