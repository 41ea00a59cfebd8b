/**
 * Migrates the database of the given URL, and distributes it if requested. It is a program of its own, because the conditions that resolve
 * a package name to its source do not apply to the set-up of the tests.
 */
import { sqlCapabilities } from "@dockline/server/Capabilities"
import * as Distribute from "@dockline/sql-storage/schema/cluster/Distribute"
import * as Migrations from "@dockline/sql-storage/schema/Migrations"
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"

const url = Redacted.make(process.argv[2]!)

const distributed = process.argv[3] === "--distribute"
  ? Distribute.distribute({ shards: 4, capabilities: sqlCapabilities }, () => Effect.void, false)
  : Effect.void

await Effect.runPromise(
  Effect.provide(
    Effect.andThen(Migrations.migrateWith(sqlCapabilities), distributed),
    PgClient.layer({ url, maxConnections: 1 })
  )
)
