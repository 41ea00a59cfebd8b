/**
 * Brings a database to the schema of this version: numbered migrations for tables, forward only, then functions and views (`Definitions.ts`).
 * The migrations of each capability have their own numbers, and run after the migrations of the contract.
 *
 * Guarantee: everything runs in one transaction under a lock, so instances that start together run each migration once, and a failure
 * changes nothing. A schema that a newer version has extended is used unchanged while it still serves this version (`oldest_served`);
 * otherwise it is refused, and a running instance is no longer ready. Versions are compared by the number of the newest migration, so a
 * release that changes only functions needs an empty migration.
 */
import { StorageUnavailable } from "@dockline/core/values/Errors"
import { Data, Effect, Layer, Record, Schema } from "effect"
import { Migrator, SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
import * as Planner from "../connections/Planner.ts"
import { callsOf, oneRow } from "../connections/Statements.ts"
import { within } from "../connections/StoreOperations.ts"
import { applyCluster } from "./cluster/Distribute.ts"
import { halfDistributed, layout } from "./cluster/Layout.ts"
import { apply } from "./Definitions.ts"
import type * as SqlCapability from "./SqlCapability.ts"
import { migrationsOf, newestOf, statementsOf } from "./SqlCapability.ts"
import { schemaOf } from "./SqlSchema.ts"

/** The schema that holds everything, so that it can be backed up and restored alone. */
const schema = "dockline"

/** The table that records which migrations have run. */
export const migrationsTable = `${schema}.migration`

/** The statements of each migration. A released migration never changes. */
const migrations: Readonly<Record<string, ReadonlyArray<string>>> = {
  "0001_initial": statementsOf(new URL("../../sql/0001_initial.sql", import.meta.url))
}

/** The number of the newest migration of the contract. */
export const newest: number = Math.max(...Object.keys(migrations).map((name) => Number.parseInt(name, 10)))

/** The oldest supported version of PostgreSQL, in the form of `server_version_num`. */
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
  number: Schema.Int,
  /** The number of the newest migration that this version knows. */
  newest: Schema.Int,
  /** The capability that has these migrations; `""` for the contract. */
  owner: Schema.String
}) {
  override get message(): string {
    const schema = this.owner === "" ? "the schema of the database" : `what the database has of ${this.owner}`
    return `A newer version of Dockline has changed ${schema}: it is number ${this.number}, and this `
      + `version knows ${this.newest}; start the newer version, or restore the backup that was made before it`
  }
}

/** Why a migration did not run. */
export type MigrateError =
  | Migrator.MigrationError
  | SqlError.SqlError
  | UnsuitableDatabase
  | SchemaNewer

const ServerRow = Schema.Struct({ encoding: Schema.String, version: Schema.String, number: Schema.Int })

const check = Effect.gen(function*() {
  const { query } = callsOf(yield* SqlClient.SqlClient)
  const { encoding, version, number } = yield* oneRow(query(ServerRow)`select
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

/** Checks first whether the schema exists, because `create schema if not exists` needs the right to create a schema even then. */
const createSchema = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const schemas = yield* sql`select from pg_namespace where nspname = ${schema}`
  if (schemas.length === 0) yield* sql`create schema ${sql(schema)}`
})

const run = (statements: ReadonlyArray<string>) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
  )

/**
 * The progress of the migrations of the contract or of a capability: the newest migration that has run, and the oldest migration whose
 * version may still use the schema.
 */
const Progress = Schema.Struct({ number: Schema.Int, oldestServed: Schema.Int })

/** The progress of all migrations of a database. */
const SchemaState = Schema.Struct({
  ...Progress.fields,
  /** The progress of capabilities with migrations, by their names. */
  capabilities: Schema.Record(Schema.String, Progress),
  /** Whether the first distribution over a cluster is running, or was interrupted. */
  isHalfDistributed: Schema.Boolean
})

/** The progress of all migrations of a database. */
export type SchemaState = typeof SchemaState.Type

/** The progress of all migrations; fails with the driver's error if there is no schema. */
export const state = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  return yield* oneRow(callsOf(sql).query(SchemaState)`select coalesce(max(migration_id), 0)::int as number,
    dockline.oldest_served() as "oldestServed",
    (select coalesce(json_object_agg(c.capability, c.progress), '{}') from (
      select capability, json_build_object('number', max(id), 'oldestServed', max(oldest_served)) as progress
      from dockline.capability_migration group by capability) as c) as capabilities,
    obj_description(to_regnamespace(${schema}), 'pg_namespace') is not distinct from ${halfDistributed} as "isHalfDistributed"
    from ${sql(migrationsTable)}`)
})

/** The progress of the contract or a capability in a database, compared with this version. */
export interface Standing extends Schema.Schema.Type<typeof Progress> {
  /** The name of the capability; `""` is the contract. */
  readonly owner: string
  /** The number of the newest migration that this version knows. */
  readonly newest: number
}

/** The standings of the contract and of each capability of a list. */
const standings = (state: SchemaState, capabilities: SqlCapability.List): ReadonlyArray<Standing> => [
  { owner: "", newest, number: state.number, oldestServed: state.oldestServed },
  ...capabilities.map((capability) => ({
    owner: capability.name,
    newest: newestOf(capability),
    ...state.capabilities[capability.name] ?? { number: 0, oldestServed: 0 }
  }))
]

/** The first part (the contract or a capability) that is older than this version; `undefined` if there is none. */
export const outdatedOf = (state: SchemaState, capabilities: SqlCapability.List): Standing | undefined =>
  standings(state, capabilities).find(({ newest, number }) => number < newest)

/** The first part that a newer version has changed so that this version cannot use it; `undefined` if there is none. */
export const unservedOf = (state: SchemaState, capabilities: SqlCapability.List): Standing | undefined =>
  standings(state, capabilities).find(({ newest, oldestServed }) => oldestServed > newest)

/** Whether a newer version has extended a part that this version can still use. */
const isExtended = ({ newest, number }: Standing): boolean => number > newest

const checkServed = (
  state: SchemaState,
  capabilities: SqlCapability.List
): Effect.Effect<void, SchemaNewer> => {
  const standing = unservedOf(state, capabilities)
  return standing === undefined ? Effect.void : Effect.fail(new SchemaNewer(standing))
}

/** A migration soon gives up waiting for a table, because all other users of the table queue behind it. */
const giveWay = "set local lock_timeout = '2s'"

/** {@link state}, or `undefined` if there is no schema. */
export const stateIfAny = Effect.gen(function*() {
  const { query } = callsOf(yield* SqlClient.SqlClient)
  const { exists } = yield* oneRow(query(Schema.Struct({ exists: Schema.Boolean }))`select
    to_regprocedure('dockline.oldest_served()') is not null as exists`)
  return exists ? yield* state : undefined
})

type Capability = SqlCapability.SqlCapability<never>

/** The migrations of a capability after a number. */
const missingOf = (capability: Capability, number: number) =>
  migrationsOf(capability).filter(({ id }) => id > number)

const nameOf = (capability: Capability) =>
(
  { id, name }: { readonly id: number; readonly name: string }
): MigrationName => [
  id,
  `${capability.name} ${name}`
]

/** Runs the migrations of a capability that have not run. */
const runOf = Effect.fnUntraced(function*(capability: Capability, number: number) {
  const sql = yield* SqlClient.SqlClient
  const missing = missingOf(capability, number)
  for (const { id, name, statements } of missing) {
    yield* run(statements)
    const row = { capability: capability.name, id, name, oldest_served: capability.oldestServed ?? 1 }
    yield* sql`insert into dockline.capability_migration ${sql.insert(row)}`
  }
  return missing.map(nameOf(capability))
})

/** A migration, by its number and its name; the name of a capability's migration begins with the capability. */
type MigrationName = readonly [id: number, name: string]

/** The owners whose parts a newer version has extended: {@link migrateWith} leaves them unchanged. */
const extendedOf = (
  before: SchemaState | undefined,
  capabilities: SqlCapability.List
): ReadonlyArray<string> =>
  before === undefined ? [] : standings(before, capabilities).filter(isExtended).map(({ owner }) => owner)

/** The migrations that {@link migrateWith} would run now. Changes nothing. */
export const pendingWith = (
  capabilities: SqlCapability.List
): Effect.Effect<ReadonlyArray<MigrationName>, MigrateError, SqlClient.SqlClient> =>
  Effect.gen(function*() {
    yield* check
    const before = yield* stateIfAny
    if (before !== undefined) yield* checkServed(before, capabilities)
    if (extendedOf(before, capabilities).includes("")) return []
    const ofContract = Object.keys(migrations)
      .map((key): MigrationName => [Number.parseInt(key, 10), key.replace(/^\d+_/, "")])
      .filter(([id]) => id > (before?.number ?? 0))
    return [
      ...ofContract,
      ...capabilities.flatMap((capability) =>
        missingOf(capability, before?.capabilities[capability.name]?.number ?? 0).map(nameOf(capability))
      )
    ]
  })

/**
 * Brings the database to the newest schema of the contract and of these capabilities; returns the migrations that ran. Parts that a newer
 * version has extended stay unchanged. Fails with {@link SchemaNewer} if one of them no longer serves this version.
 */
export const migrateWith = (
  capabilities: SqlCapability.List
): Effect.Effect<ReadonlyArray<MigrationName>, MigrateError, SqlClient.SqlClient> =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    yield* check
    return yield* sql.withTransaction(Effect.gen(function*() {
      yield* sql`select pg_advisory_xact_lock(hashtextextended('dockline.schema', 0))`
      const before = yield* stateIfAny
      if (before !== undefined) yield* checkServed(before, capabilities)
      const newerOwners = extendedOf(before, capabilities)
      // A capability may need the changes of the contract.
      if (newerOwners.includes("")) return []
      yield* sql.unsafe(giveWay)
      yield* sql.unsafe(Planner.freely)
      yield* createSchema
      const loader = Migrator.fromRecord(Record.map(migrations, run))
      const ran = yield* Migrator.make({})({ loader, table: migrationsTable })
      const current = capabilities.filter(({ name }) => !newerOwners.includes(name))
      const ranOfCapabilities = yield* Effect.forEach(
        current,
        (capability) => runOf(capability, before?.capabilities[capability.name]?.number ?? 0)
      )
      const schema = schemaOf(capabilities)
      const owners = ["", ...current.map(({ name }) => name)]
      const cluster = yield* layout
      yield* cluster === undefined
        ? apply(schema.definitions, owners)
        : applyCluster(schema, cluster, owners)
      return [...ran, ...ranOfCapabilities.flat()]
    }))
  })

/** {@link migrateWith} with only the contract. */
export const migrate = migrateWith([])

/** Migrates the contract and these capabilities as the layer is built. */
export const layerWith = (
  capabilities: SqlCapability.List
): Layer.Layer<never, MigrateError, SqlClient.SqlClient> => Layer.effectDiscard(migrateWith(capabilities))

/** {@link layerWith} with only the contract. */
export const layer = layerWith([])

const pingMillis = 2000

/** The schema is older than this code, is only half distributed, or does not exist. */
export class SchemaOutdated extends Data.TaggedError("SchemaOutdated")<{}> {
  override readonly message = "The newest migration or the distribution has not run to its end"
}

const unready = (detail: string, cause: unknown = new SchemaOutdated()) =>
  new StorageUnavailable({ cause, detail })

const olderSchema = unready(
  "The schema of the database is older than this instance; run dockline-server migrate"
)

const halfDistributedSchema = unready(
  "The schema of the database is half distributed; let dockline-server migrate --distribute run to its end"
)

/** Succeeds if the database answers and its schema serves this version with these capabilities; for readiness probes. */
export const pingWith = (
  capabilities: SqlCapability.List
): Effect.Effect<void, StorageUnavailable, SqlClient.SqlClient> =>
  Effect.gen(function*() {
    const present = yield* state
    if (outdatedOf(present, capabilities) !== undefined) return yield* olderSchema
    if (present.isHalfDistributed) return yield* halfDistributedSchema
    yield* checkServed(present, capabilities)
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
          cause.reason._tag === "SqlSyntaxError" ? olderSchema : new StorageUnavailable({ cause })
        )
    }),
    (effect) => within(effect, pingMillis)
  )

/** {@link pingWith} with only the contract. */
export const ping = pingWith([])
