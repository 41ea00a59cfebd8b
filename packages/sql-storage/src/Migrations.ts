/**
 * The migrations of Dockline's schema, forward only and numbered.
 *
 * Guarantee: they run in one transaction under an exclusive lock on their table, so instances that start together,
 * on an empty database too, run each of them once. A schema that a newer version has changed is refused: nobody starts
 * on tables that mean more than is known here. Who runs already as it is changed is not ready from then on.
 */
import { Effect, Layer, Schema } from "effect"
import { Migrator, SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
import intake from "./migrations/0001_intake.ts"
import access from "./migrations/0002_access.ts"
import messages from "./migrations/0003_messages.ts"
import movement from "./migrations/0004_movement.ts"
import webhooks from "./migrations/0005_webhooks.ts"
import traces from "./migrations/0006_traces.ts"
import backlog from "./migrations/0007_backlog.ts"
import retention from "./migrations/0008_retention.ts"
import lists from "./migrations/0010_lists.ts"

/** Our schema: everything of ours is in it, so that it can be backed up and restored alone. */
const schema = "dockline"

/** The table that records which migrations have run. */
export const migrationsTable = `${schema}.migration`

const migrations = {
  "0001_intake": intake,
  "0002_access": access,
  "0003_messages": messages,
  "0004_movement": movement,
  "0005_webhooks": webhooks,
  "0006_traces": traces,
  "0007_backlog": backlog,
  "0008_retention": retention,
  "0010_lists": lists
}

/** The number of the newest migration. */
export const newest: number = Math.max(...Object.keys(migrations).map((name) => Number.parseInt(name, 10)))

/** The oldest PostgreSQL that runs the schema, as `server_version_num` counts. */
const oldestVersion = 140_000

/** The database cannot hold the schema: its encoding or its version is not what is needed. */
export class UnsuitableDatabase extends Schema.TaggedError<UnsuitableDatabase>()("UnsuitableDatabase", {
  needed: Schema.String,
  found: Schema.String
}) {
  override get message(): string {
    return `The database must be ${this.needed}, but it is ${this.found}`
  }
}

/** A newer version has changed the schema: this one does not know what its tables mean. */
export class SchemaNewer extends Schema.TaggedError<SchemaNewer>()("SchemaNewer", {
  /** The number of the newest migration that has run. */
  found: Schema.Int,
  /** The number of the newest migration that this version knows. */
  known: Schema.Int
}) {
  override get message(): string {
    return `A newer version of Dockline has changed the schema of the database: it is number ${this.found}, and this `
      + `version knows ${this.known}; start the newer version, or restore the backup that was made before it`
  }
}

/** Why a migration did not run. */
export type MigrateError =
  | Migrator.MigrationError
  | SqlError.SqlError
  | UnsuitableDatabase
  | SchemaNewer

const check = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<
    { readonly encoding: string; readonly version: string; readonly number: number }
  >`select current_setting('server_encoding') as encoding, current_setting('server_version') as version,
    current_setting('server_version_num')::int as number`
  const { encoding, version, number } = row!
  if (number < oldestVersion) {
    return yield* new UnsuitableDatabase({
      needed: "PostgreSQL 14 or newer",
      found: `PostgreSQL ${version}`
    })
  }
  if (encoding !== "UTF8") {
    return yield* new UnsuitableDatabase({ needed: "encoded in UTF8", found: `encoded in ${encoding}` })
  }
})

/** Looks first: to create a schema that is there takes the right to create one all the same. */
const createSchema = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const exists = Effect.map(
    sql`select from pg_namespace where nspname = ${schema}`,
    (found) => found.length > 0
  )
  if (yield* exists) return
  yield* Effect.catch(
    sql`create schema ${sql(schema)}`,
    // Another instance has created it just now.
    (error) => Effect.flatMap(exists, (found) => found ? Effect.void : Effect.fail(error))
  )
})

/** The number of the newest migration that has run, 0 for none; fails where there is no table of migrations. */
export const current: Effect.Effect<number, SqlError.SqlError, SqlClient.SqlClient> = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly latest: number | null }>`select max(migration_id) as latest
    from ${sql(migrationsTable)}`
  return row!.latest ?? 0
})

/**
 * Brings the database to the newest schema; returns the migrations that ran, none when it was there. Fails with
 * {@link SchemaNewer}, having changed nothing, when it is further than that.
 */
export const migrate: Effect.Effect<
  ReadonlyArray<readonly [id: number, name: string]>,
  MigrateError,
  SqlClient.SqlClient
> = Effect.gen(function*() {
  yield* check
  yield* createSchema
  const ran = yield* Migrator.make({})({ loader: Migrator.fromRecord(migrations), table: migrationsTable })
  // Afterwards: a newer version that started together with this one may have had the lock first.
  const found = yield* current
  if (found > newest) return yield* new SchemaNewer({ found, known: newest })
  return ran
})

/** Migrates when the layer is built. */
export const layer: Layer.Layer<never, MigrateError, SqlClient.SqlClient> = Layer.effectDiscard(migrate)
