/** The database of the settings: how it is reached, how its schema comes up to date, and the key of its secrets. */
import type { StorageUnavailable } from "@dockline/core/values/Errors"
import { SecretsVault } from "@dockline/core/webhooks/SecretsVault"
import * as Database from "@dockline/sql-storage/connections/Database"
import * as EmbeddedPostgres from "@dockline/sql-storage/embedded/EmbeddedPostgres"
import * as Distribute from "@dockline/sql-storage/schema/cluster/Distribute"
import * as Move from "@dockline/sql-storage/schema/cluster/Move"
import * as Migrations from "@dockline/sql-storage/schema/Migrations"
import * as SecretsKey from "@dockline/webhook-adapter/auth/SecretsKey"
import * as ClusterPlacement from "@dockline/webhook-adapter/placement/ClusterPlacement"
import { Console, Effect, Layer, Option, Redacted } from "effect"
import type { SqlClient } from "effect/sql"
import { sqlCapabilities } from "../Capabilities.ts"
import type { Settings } from "../settings/Settings.ts"
import * as DatabaseWait from "./DatabaseWait.ts"
import * as SecretsKeyFile from "./SecretsKeyFile.ts"

/** The longest wait of a request for a connection of the database. */
const connectionWaitMillis = 5000

/** The longest statement of `dockline-server migrate`: an index of a large table takes its time. */
const migrationMillis = 24 * 60 * 60_000

/** Brings the schema up to date, with the tables and functions of all capabilities, also of those that the settings leave out. */
const migration = Migrations.migrateWith(sqlCapabilities)

/** Whether other instances may use the same database. */
export const isShared = ({ databaseUrl }: Settings): boolean => Option.isSome(databaseUrl)

export const describe = (settings: Settings): string =>
  Option.match(settings.databaseUrl, {
    onSome: (url) =>
      `PostgreSQL at ${/^[^:]+:\/\/(?:[^/?#]*@)?([^/?#]*)/.exec(Redacted.value(url))?.[1] ?? ""}`,
    onNone: () => `embedded PostgreSQL in ${settings.dataDir}`
  })

/** The address of the database; the embedded one runs as long as the scope. */
const address = (settings: Settings) =>
  Option.match(settings.databaseUrl, {
    onSome: (url) => Effect.succeed(url),
    onNone: () => Effect.map(EmbeddedPostgres.make({ directory: settings.dataDir }), ({ url }) => url)
  })

export const config = (settings: Settings): Omit<Database.DatabaseConfig, "url"> => ({
  ...Database.defaultDatabaseConfig,
  maxConnections: settings.databaseConnections,
  reservedConnections: isShared(settings) ? ClusterPlacement.connections : 0,
  waitMillis: connectionWaitMillis
})

/** Connections to the database, whatever its schema is. */
export const connections = (settings: Settings, overrides: Partial<Database.DatabaseConfig> = {}) =>
  Layer.unwrap(
    Effect.map(address(settings), (url) => Database.layer({ ...config(settings), ...overrides, url }))
  )

/** The database with the newest schema. Services are often started before their database. */
export const layer = (settings: Settings) =>
  Layer.effectDiscard(
    DatabaseWait.withWait<unknown, Migrations.MigrateError | StorageUnavailable, SqlClient.SqlClient>(
      settings.migrate
        ? Effect.andThen(migration, Migrations.pingWith(sqlCapabilities))
        : Migrations.pingWith(sqlCapabilities)
    )
  ).pipe(Layer.provideMerge(connections(settings)))

const forCommand = (settings: Settings) =>
  connections(settings, { maxConnections: 1, statementTimeoutMillis: migrationMillis })

export const migrate = (settings: Settings) =>
  Effect.gen(function*() {
    const ran = yield* DatabaseWait.withWait(migration)
    const { found } = yield* Migrations.state
    yield* Console.log(
      `The schema of ${describe(settings)} is number ${found}; `
        + (ran.length === 0 ? "no migration had to run" : `ran ${ran.map(([, name]) => name).join(", ")}`)
    )
  }).pipe(Effect.provide(forCommand(settings)))

/** What `dockline-server migrate --distribute` does; `dryRun` only tells it. */
export const distribute = (settings: Settings, dryRun: boolean, shards: number | undefined) =>
  Effect.gen(function*() {
    yield* DatabaseWait.withWait(Distribute.check({ shards }))
    if (!dryRun) yield* migration
    const options = { capabilities: sqlCapabilities, shards }
    const { steps } = yield* Distribute.distribute(options, Console.log, dryRun)
    yield* Console.log(
      steps === 0
        ? `The schema of ${describe(settings)} is distributed, and nothing is left to do`
        : dryRun
        ? "Nothing was changed; leave out --dry-run to do it"
        : `The schema of ${describe(settings)} is distributed`
    )
  }).pipe(Effect.provide(forCommand(settings)))

/** What `dockline-server business move` does; `dryRun` only tells it. */
export const move = (settings: Settings, business: string, to: string, dryRun: boolean) =>
  Effect.provide(Move.move(business, to, Console.log, dryRun), forCommand(settings))

/** The key of the settings, else the one kept beside the embedded database. */
export const vault = (settings: Settings) =>
  Option.match(settings.secretsKeys, {
    onSome: (keys) =>
      Layer.unwrap(Effect.map(Effect.fromResult(SecretsKey.parse(Redacted.value(keys))), SecretsKey.layer)),
    onNone: () =>
      isShared(settings)
        ? SecretsVault.layerWithoutKey
        : Layer.unwrap(Effect.map(SecretsKeyFile.load(settings.dataDir), SecretsKey.layer))
  })
