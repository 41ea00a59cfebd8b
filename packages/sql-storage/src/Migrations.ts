/**
 * The migrations of Dockline's schema, forward only and numbered.
 *
 * Guarantee: they run in one transaction under an exclusive lock on their table, so instances that start together,
 * on an empty database too, run each of them once.
 */
import { Effect, Layer } from "effect"
import { Migrator, SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
import intake from "./migrations/0001_intake.ts"
import access from "./migrations/0002_access.ts"

/** The table that records which migrations have run. */
export const migrationsTable = "dockline_migrations"

const loader = Migrator.fromRecord({ "0001_intake": intake, "0002_access": access })

/** Brings the database to the newest schema; returns the migrations that ran, none when it was there. */
export const migrate: Effect.Effect<
  ReadonlyArray<readonly [id: number, name: string]>,
  Migrator.MigrationError | SqlError.SqlError,
  SqlClient.SqlClient
> = Migrator.make({})({ loader, table: migrationsTable })

/** Migrates when the layer is built. */
export const layer: Layer.Layer<never, Migrator.MigrationError | SqlError.SqlError, SqlClient.SqlClient> =
  Layer
    .effectDiscard(migrate)
