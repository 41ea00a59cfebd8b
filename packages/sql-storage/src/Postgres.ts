/**
 * All ports of core on PostgreSQL as one layer: by URL, or embedded on a folder.
 *
 * Guarantee: when the layer is built, the database answers and has a schema that serves this version; otherwise it fails with one error
 * that names the problem and the remedy.
 *
 * ```ts
 * await using dockline = await Dockline.open({ storage: Postgres.layer({ url: "postgres://…" }) })
 * ```
 */
import type { Stores } from "@dockline/core/memory/Memory"
import { StorageUnavailable } from "@dockline/core/values/Errors"
import { Readiness } from "@dockline/core/values/Metrics"
import type { PgClient } from "@effect/sql-pg"
import { Data, Effect, Layer, Predicate, Redacted } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import * as Database from "./connections/Database.ts"
import type { InvalidPostgresUrl } from "./connections/PostgresUrl.ts"
import { isAway, isRefused } from "./connections/StorageErrors.ts"
import * as EmbeddedPostgres from "./embedded/EmbeddedPostgres.ts"
import type { EmbeddedPostgresError } from "./embedded/EmbeddedPostgres.ts"
import * as Replication from "./Replication.ts"
import * as Migrations from "./schema/Migrations.ts"
import type * as SqlCapability from "./schema/SqlCapability.ts"
import * as Sql from "./Sql.ts"

/** The settings of a database. */
export interface PostgresOptions<Capabilities extends SqlCapability.List = SqlCapability.List> {
  /** The capabilities whose parts in PostgreSQL are used; none by default. */
  readonly capabilities?: Capabilities
  /**
   * The connections of this process, without a few more that listen for messages and dispatch webhooks; 10 by default. The transaction of a
   * document holds one.
   */
  readonly connections?: number
  /**
   * Whether the schema is migrated first; `true` by default. If `false`, an older schema is an error. A newer schema is an error if it no
   * longer serves this version.
   */
  readonly migrate?: boolean
}

/** A database by its URL, and its settings. */
export interface PostgresUrlOptions<Capabilities extends SqlCapability.List = SqlCapability.List>
  extends PostgresOptions<Capabilities>
{
  /**
   * `postgres://user:password@host:port/database`, with the options of libpq: `host`, `port`, `user`, `password`, `dbname`, `options`,
   * `application_name`, `connect_timeout`, `target_session_attrs`, `sslmode`, `sslrootcert`, `sslcert` and `sslkey`. All other options are
   * refused. Several hosts, `host1:port1,host2:port2`, are tried in their order.
   */
  readonly url: string | Redacted.Redacted
}

/** The folder of an embedded database, and its settings. */
export interface PostgresEmbeddedOptions<Capabilities extends SqlCapability.List = SqlCapability.List>
  extends PostgresOptions<Capabilities>, EmbeddedPostgres.EmbeddedPostgresOptions
{}

/** The problems of a database, each with its remedy. */
const remedies = {
  URL_INVALID: "The URL of the database cannot be used",
  DATABASE_UNREACHABLE:
    "The database cannot be reached; check the host and port of its URL, and that it runs and accepts connections",
  DATABASE_REFUSED:
    "The database refuses the connection; check the user, password, database name and sslmode of its URL",
  DATABASE_UNSUITABLE: "The database cannot hold the schema; use another one",
  SCHEMA_OUTDATED:
    "The schema of the database is not the newest; migrate it first, or open it with migrate: true",
  SCHEMA_NEWER: "The schema of the database is newer than this version supports",
  MIGRATION_FAILED: "The schema could not be migrated; migrate as the user that owns it"
} as const

/** The database cannot be used; `cause` is the driver's error. */
export class PostgresError extends Data.TaggedError("PostgresError")<{
  readonly code: keyof typeof remedies
  readonly cause: unknown
}> {
  override get message(): string {
    const reason = reasonOf(this.cause)
    return `${remedies[this.code]}${reason === "" ? "" : `: ${reason}`}`
  }
}

/** The services of the layers: the ports of core and of capabilities, and the client of the database. */
export type PostgresServices<Capabilities extends SqlCapability.List = []> =
  | Stores
  | SqlCapability.PortsOf<Capabilities>
  | PgClient.PgClient
  | SqlClient.SqlClient

/** All ports of core and of capabilities on the database of a URL. */
export const layer = <const Capabilities extends SqlCapability.List = []>(
  {
    capabilities,
    url: location,
    connections = Database.defaultDatabaseConfig.maxConnections,
    migrate = true
  }: PostgresUrlOptions<Capabilities>
): Layer.Layer<PostgresServices<Capabilities>, PostgresError> => {
  if (!Number.isInteger(connections) || connections < 1) {
    throw new RangeError(`connections must be a whole number, 1 or more, not ${connections}`)
  }
  const url = typeof location === "string" ? Redacted.make(location, { label: "url" }) : location
  // If the list is absent, `Capabilities` is empty.
  const parts = (capabilities ?? []) as Capabilities
  return Layer.mergeAll(Sql.layerWith(parts), readinessWith(parts)).pipe(
    Layer.provideMerge(schemaOf(migrate, parts)),
    Layer.provideMerge(
      Database.layer({ ...Database.defaultDatabaseConfig, maxConnections: connections, url })
    ),
    Layer.catch((cause) => fail(codeOf(cause), cause))
  )
}

const fail = <Services>(
  code: PostgresError["code"],
  cause: unknown
): Layer.Layer<Services, PostgresError> =>
  Layer.effectContext(Effect.fail(new PostgresError({ code, cause })))

/** All ports of core and of capabilities on an embedded PostgreSQL, which runs as long as the layer lives. */
export const layerEmbedded = <const Capabilities extends SqlCapability.List = []>(
  { directory, settings, ...options }: PostgresEmbeddedOptions<Capabilities>
): Layer.Layer<PostgresServices<Capabilities>, PostgresError | EmbeddedPostgresError> =>
  Layer.unwrap(
    Effect.map(
      EmbeddedPostgres.make({ directory, ...(settings === undefined ? {} : { settings }) }),
      ({ url }) => layer({ ...options, url })
    )
  )

const schemaOf = (
  migrate: boolean,
  capabilities: SqlCapability.List
): Layer.Layer<never, Migrations.MigrateError | StorageUnavailable, SqlClient.SqlClient> =>
  migrate ? Migrations.layerWith(capabilities) : Layer.effectDiscard(Migrations.pingWith(capabilities))

/**
 * Readiness: whether the database answers and its schema, of the contract and of capabilities, serves this version, and whether its
 * replication can lose data.
 */
export const readinessWith = (
  capabilities: SqlCapability.List
): Layer.Layer<never, never, SqlClient.SqlClient> =>
  Layer.effect(
    Readiness,
    Effect.map(
      SqlClient.SqlClient,
      (sql) =>
        Effect.andThen(
          Migrations.pingWith(capabilities),
          Effect.catch(Replication.warnings, (cause) => Effect.fail(new StorageUnavailable({ cause })))
        ).pipe(Effect.provideService(SqlClient.SqlClient, sql))
    )
  )

const codeOf = (
  error: Migrations.MigrateError | StorageUnavailable | InvalidPostgresUrl
): PostgresError["code"] => {
  if (error._tag === "InvalidPostgresUrl") return "URL_INVALID"
  if (error._tag === "UnsuitableDatabase") return "DATABASE_UNSUITABLE"
  const failures = [...causes(error)]
  if (failures.some(isRefused)) return "DATABASE_REFUSED"
  if (failures.some(isAway)) return "DATABASE_UNREACHABLE"
  if (failures.some((each) => each instanceof Migrations.SchemaNewer)) return "SCHEMA_NEWER"
  if (error._tag !== "StorageUnavailable") return "MIGRATION_FAILED"
  return failures.some((each) => each instanceof Migrations.SchemaOutdated)
    ? "SCHEMA_OUTDATED"
    : "DATABASE_UNREACHABLE"
}

/** An error and its causes, from the outermost to the innermost. An SqlError holds its cause in its reason. */
function* causes(error: unknown): Generator<unknown> {
  for (let each = error; Predicate.isObject(each);) {
    yield each
    each = SqlError.isSqlError(each)
      ? each.reason.cause
      : Predicate.hasProperty(each, "cause")
      ? each.cause
      : undefined
  }
}

/** The message of the innermost cause; the others only say that something failed. */
const reasonOf = (cause: unknown): string =>
  [...causes(cause)].flatMap((error) => error instanceof Error && error.message !== "" ? [error.message] : [])
    .at(-1) ??
    ""
