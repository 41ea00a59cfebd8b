/**
 * A fresh, migrated PostgreSQL database for a test file, dropped when the layer closes.
 */
import * as Database from "@dockline/sql-storage/connections/Database"
import { RowChecks } from "@dockline/sql-storage/connections/Statements"
import { sqlState } from "@dockline/sql-storage/connections/StorageErrors"
import * as Migrations from "@dockline/sql-storage/schema/Migrations"
import { PgClient } from "@effect/sql-pg"
import { Clock, Effect, Layer, Redacted, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { randomBytes } from "node:crypto"
import { inject } from "vitest"

const adminOf = (url: string) => <A, E>(use: (sql: PgClient.PgClient) => Effect.Effect<A, E>) =>
  Effect.scoped(
    Effect.flatMap(PgClient.PgClient, use).pipe(Effect.provide(PgClient.layer({ url: Redacted.make(url) })))
  ).pipe(Effect.provideService(Clock.Clock, realClock))

/** Runs statements on the server, as its owner. It waits by the real clock, even in a test with a stopped clock. */
export const admin = <A, E>(use: (sql: PgClient.PgClient) => Effect.Effect<A, E>) =>
  adminOf(inject("postgresUrl"))(use)

/** Runs statements on each node of a cluster. */
const everywhere = <A, E>(use: (sql: PgClient.PgClient) => Effect.Effect<A, E>) =>
  Effect.forEach([inject("postgresUrl"), ...inject("workerUrls")], (url) => adminOf(url)(use), {
    concurrency: "unbounded",
    discard: true
  })

const realClock = Clock.Clock.defaultValue()

/** Creates a database as a copy of another one, to be dropped with the scope; returns its URL. */
const copy = (template: Effect.Effect<string>) =>
  Effect.acquireRelease(
    Effect.gen(function*() {
      const name = `test_${randomBytes(6).toString("hex")}`
      const original = yield* template
      yield* everywhere((sql) =>
        sql.unsafe(`create database ${name} template ${original} ${inject("copyStrategy")}`)
      )
      const url = new URL(inject("postgresUrl"))
      url.pathname = `/${name}`
      return { name, url: Redacted.make(url.href) }
    }),
    ({ name }) =>
      Effect.orDie(everywhere((sql) =>
        sql.unsafe(`drop database ${name} with (force)`).pipe(
          // PostgreSQL's own vacuum, which we may not end, or a session of Citus may be at work in it: both soon end by themselves.
          Effect.retry({
            while: (error) => error.reason._tag === "AuthorizationError" || sqlState(error) === "55006",
            schedule: Schedule.spaced("100 millis"),
            times: 100
          })
        )
      ))
  )

/** Creates an empty database, to be dropped with the scope; returns its URL. */
export const create = copy(Effect.succeed("template1"))

/** Creates a migrated database, in a quarter of the time of migrating it; like {@link create}. */
export const createMigrated = copy(Effect.sync(() => inject("migratedDatabase")))

/** Connections on which all rows are checked by their schemas. */
const connections = Effect.map(({ url }: { readonly url: Redacted.Redacted }) =>
  Layer.merge(
    Database.layer({ ...Database.defaultDatabaseConfig, url }),
    Layer.succeed(RowChecks, "all")
  )
)

/** Connections to an empty database of its own. */
export const layerEmpty = Layer.unwrap(connections(create))

/** Connections to a migrated database of its own. */
export const layer = Layer.provideMerge(Migrations.layer, Layer.unwrap(connections(createMigrated)))

/** The trace of a newer version: a migration that we do not have, and the oldest version that may still run. */
export const migrateBeyond = (oldestServed: number) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const later = { migration_id: Migrations.newest + 1, name: "later" }
    yield* sql`insert into ${sql(Migrations.migrationsTable)} ${sql.insert(later)} on conflict do nothing`
    yield* sql.unsafe(`create or replace function dockline.oldest_served() returns int language sql immutable
      as 'select ${oldestServed}'`)
  })
