/**
 * Brings a database to the schema of this version: tables by numbered migrations, forward only, then functions and views
 * (`Definitions.ts`).
 *
 * Guarantee: it is one transaction under a lock, so instances that start together run each migration once, and a failure
 * changes nothing. A schema that a newer version has extended is used as it is while it still serves this version
 * (`oldest_served`); else it is refused, and an instance that runs meanwhile is no longer ready. Versions are compared by
 * the number of the newest migration, so a release that changes only functions needs a migration too, an empty one.
 */
import { StorageUnavailable } from "@dockline/core/Errors"
import { Data, Effect, Layer, Record, Schema } from "effect"
import { Migrator, SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
import { within } from "../connections/Deadline.ts"
import { oneRow } from "../connections/OneRow.ts"
import { applyCluster } from "./cluster/Distribute.ts"
import { halfDistributed, layout } from "./cluster/Layout.ts"
import { apply, definitions } from "./Definitions.ts"
import initial from "./tables/0001_initial.ts"

/** The schema holds everything, so that it can be backed up and restored alone. */
const schema = "dockline"

/** The table that records which migrations have run. */
export const migrationsTable = `${schema}.migration`

/** The statements of each migration. A released migration never changes. */
const migrations: Readonly<Record<string, ReadonlyArray<string>>> = { "0001_initial": initial }

/** The number of the newest migration. */
export const newest: number = Math.max(...Object.keys(migrations).map((name) => Number.parseInt(name, 10)))

/** The oldest PostgreSQL that runs the schema, as `server_version_num` counts. */
const oldestVersion = 140_000

/** The database has the wrong encoding, or its version is too old. */
export class UnsuitableDatabase extends Schema.TaggedError<UnsuitableDatabase>()("UnsuitableDatabase", {
  needed: Schema.String,
  found: Schema.String
}) {
  override get message(): string {
    return `The database must be ${this.needed}, but it is ${this.found}`
  }
}

/** A newer version has changed the schema so that this one cannot use it. */
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

interface Server {
  readonly encoding: string
  readonly version: string
  readonly number: number
}

const check = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const { encoding, version, number } = yield* oneRow(sql<Server>`select
    current_setting('server_encoding') as encoding, current_setting('server_version') as version,
    current_setting('server_version_num')::int as number`)
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

/** Looks first: `create schema if not exists` needs the right to create a schema even if it exists. */
const createSchema = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const found = yield* sql`select from pg_namespace where nspname = ${schema}`
  if (found.length === 0) yield* sql`create schema ${sql(schema)}`
})

const run = (statements: ReadonlyArray<string>) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
  )

/** How far the schema of a database is. */
export interface SchemaState {
  /** The number of the newest migration that has run. */
  readonly found: number
  /** The number of the oldest schema whose version may run on it. */
  readonly oldestServed: number
  /** Whether it is being laid out over a cluster for the first time, or that was interrupted. */
  readonly isHalfDistributed: boolean
}

/** How far the schema is; fails with the driver's error where there is none. */
export const state = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  return yield* oneRow(sql<SchemaState>`select coalesce(max(migration_id), 0)::int as found,
    dockline.oldest_served() as "oldestServed",
    obj_description(to_regnamespace(${schema}), 'pg_namespace') is not distinct from ${halfDistributed} as "isHalfDistributed"
    from ${sql(migrationsTable)}`)
})

/** Whether a newer version has extended the schema, and left what this one uses. */
const isExtended = ({ found }: SchemaState): boolean => found > newest

/** Fails if a newer version has changed the schema so that this one cannot use it. */
const served = ({ found, oldestServed }: SchemaState): Effect.Effect<void, SchemaNewer> =>
  oldestServed > newest ? Effect.fail(new SchemaNewer({ found, known: newest })) : Effect.void

/** A migration that finds a table in use gives way soon: all who want the table wait behind it. */
const giveWay = "set local lock_timeout = '2s'"

/** {@link state}, and `undefined` where there is no schema. */
export const stateIfAny = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const { exists } = yield* oneRow(sql<{ readonly exists: boolean }>`select
    to_regprocedure('dockline.oldest_served()') is not null as exists`)
  return exists ? yield* state : undefined
})

/**
 * Brings the database to the newest schema; returns the migrations that ran. Leaves a schema that a newer version has extended
 * as it is, and fails with {@link SchemaNewer} if it no longer serves this version.
 */
export const migrate: Effect.Effect<
  ReadonlyArray<readonly [id: number, name: string]>,
  MigrateError,
  SqlClient.SqlClient
> = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* check
  return yield* sql.withTransaction(Effect.gen(function*() {
    yield* sql`select pg_advisory_xact_lock(hashtextextended('dockline.schema', 0))`
    const before = yield* stateIfAny
    if (before !== undefined) {
      yield* served(before)
      if (isExtended(before)) return []
    }
    yield* sql.unsafe(giveWay)
    yield* createSchema
    const loader = Migrator.fromRecord(Record.map(migrations, run))
    const ran = yield* Migrator.make({})({ loader, table: migrationsTable })
    const cluster = yield* layout
    yield* cluster === undefined ? apply(definitions) : applyCluster(cluster)
    return ran
  }))
})

/** Migrates as the layer is built. */
export const layer: Layer.Layer<never, MigrateError, SqlClient.SqlClient> = Layer.effectDiscard(migrate)

const pingMillis = 2000

/** The schema is older than this code, or only half distributed, or there is none. */
export class SchemaOutdated extends Data.TaggedError("SchemaOutdated")<{}> {
  override readonly message = "The newest migration or the distribution has not run to its end"
}

const unready = (detail: string, cause: unknown = new SchemaOutdated()) =>
  new StorageUnavailable({ cause, detail })

const outdated = unready(
  "The schema of the database is older than this instance; run dockline-server migrate"
)

const undistributed = unready(
  "The schema of the database is half distributed; let dockline-server migrate --distribute run to its end"
)

/** Succeeds if the database answers and its schema serves this version; for readiness probes. */
export const ping: Effect.Effect<void, StorageUnavailable, SqlClient.SqlClient> = Effect.gen(function*() {
  const found = yield* state
  if (found.found < newest) return yield* outdated
  if (found.isHalfDistributed) return yield* undistributed
  yield* served(found)
}).pipe(
  Effect.catchTags({
    SchemaNewer: (cause) =>
      Effect.fail(unready(
        "The schema of the database is newer than this instance; replace the instance by the newer version",
        cause
      )),
    // A database without a schema lacks the table of migrations.
    SqlError: (cause) =>
      Effect.fail(
        cause.reason._tag === "SqlSyntaxError" ? outdated : new StorageUnavailable({ cause })
      )
  }),
  (effect) => within(effect, pingMillis)
)
