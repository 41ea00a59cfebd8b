/** The database of the settings: its connection, the migration of its schema, the key of its secrets, and the check that it is available. */
import { StorageUnavailable } from "@dockline/core/values/Errors"
import { Readiness } from "@dockline/core/values/Metrics"
import { SecretsVault } from "@dockline/core/webhooks/SecretsVault"
import * as Database from "@dockline/sql-storage/connections/Database"
import { isAway, isRefused } from "@dockline/sql-storage/connections/StorageErrors"
import * as EmbeddedPostgres from "@dockline/sql-storage/embedded/EmbeddedPostgres"
import * as Distribute from "@dockline/sql-storage/schema/cluster/Distribute"
import * as Move from "@dockline/sql-storage/schema/cluster/Move"
import * as Migrations from "@dockline/sql-storage/schema/Migrations"
import * as SecretsKey from "@dockline/webhook-adapter/auth/SecretsKey"
import { OperatorEvents } from "@dockline/webhook-adapter/OperatorEvents"
import * as ClusterPlacement from "@dockline/webhook-adapter/placement/ClusterPlacement"
import { Cause, Console, Data, Effect, Layer, Option, Redacted, Result, Schedule } from "effect"
import { Migrator, SqlError } from "effect/sql"
import type { SqlClient } from "effect/sql"
import { randomBytes } from "node:crypto"
import { open, readFile, rename, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { sqlCapabilities } from "../Capabilities.ts"
import type { Settings } from "../settings/Settings.ts"
import * as StartMessages from "./StartMessages.ts"

/** How often a step is repeated, one second apart. */
const repeats = 30

/**
 * Waits up to half a minute for a database that is not ready while the server starts, and logs the wait. If the server ended instead, it
 * would not answer the requests that it has accepted. Other failures are final.
 */
export const withWait = <A, E, R>(step: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  step.pipe(
    Effect.sandbox,
    Effect.retry({
      while: (cause) => {
        const error = errorsOf(cause).find(isNotReady)
        return error === undefined
          ? Effect.succeed(false)
          : Effect.as(
            Effect.logWarning(`The database is not ready yet: ${StartMessages.reasonOf(error)}`),
            true
          )
      },
      schedule: Schedule.spaced("1 second"),
      times: repeats
    }),
    Effect.catch((cause) => Effect.failCause(cause))
  )

/** {@link withWait} for a layer, which is built again each time. */
export const awaitedLayer = <A, E, R>(layer: Layer.Layer<A, E, R>): Layer.Layer<A, E, R> =>
  Layer.effectContext(withWait(Layer.build(Layer.fresh(layer))))

/** The failures and defects of a cause. If a transaction breaks, its rollback fails too, as a defect. */
const errorsOf = (cause: Cause.Cause<unknown>): ReadonlyArray<unknown> =>
  Cause.hasInterrupts(cause) ?
    [] :
    cause.reasons.flatMap((reason) =>
      reason._tag === "Fail" ? [reason.error] : reason._tag === "Die" ? [reason.defect] : []
    )

/**
 * Whether the database is unavailable, starting, being migrated by another instance, or so busy that a migration could not get a lock.
 * Waiting does not fix a wrong password, a missing database, a mismatch of TLS, or the schema of another version: these fail at once.
 */
const isNotReady = (error: unknown): boolean =>
  isAway(error) ||
  (error instanceof StorageUnavailable && !isRefused(error.cause) && !isOtherSchema(error.cause)) ||
  (SqlError.isSqlError(error) && error.reason._tag === "LockTimeoutError") ||
  (error instanceof Migrator.MigrationError && isNotReady(error.cause))

const isOtherSchema = (error: unknown): boolean =>
  error instanceof Migrations.SchemaOutdated || error instanceof Migrations.SchemaNewer

/** The file of the key cannot be read, or holds no usable key. A new key would not open sealed secrets. */
export class KeyFileUnusable extends Data.TaggedError("KeyFileUnusable")<{
  readonly path: string
  readonly reason: string
}> {
  override get message(): string {
    return `The key in ${this.path} cannot be used: ${this.reason}. Bring the file back as it was; without it all ` +
      "stored passwords and signing secrets have to be entered again"
  }
}

const read = async (path: string): Promise<string> => (await readFile(path, "utf8")).trim()

const isAbsent = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "ENOENT"

/** Makes the key. It is on disk under its final name before any secret is sealed. */
const make = async (directory: string, path: string): Promise<string> => {
  const draft = `${path}.new`
  await writeFile(draft, `${randomBytes(32).toString("base64")}\n`, { mode: 0o600, flush: true })
  await rename(draft, path)
  const folder = await open(directory, "r")
  await folder.sync().finally(() => folder.close())
  return read(path)
}

/** The path of the file of the key of the embedded database. */
export const keyFileOf = (directory: string): string => join(directory, "secrets.key")

/** Loads the keys in the file. If there is no file, loads them from the text of `ifAbsent`; `undefined` has no keys. */
const loadOr = (
  directory: string,
  ifAbsent: (path: string) => Promise<string | undefined>
): Effect.Effect<ReadonlyArray<Redacted.Redacted>, KeyFileUnusable> => {
  const path = keyFileOf(directory)
  const unusable = (reason: string) => new KeyFileUnusable({ path, reason })
  return Effect.tryPromise({
    try: () =>
      read(path).catch((error: unknown) => {
        if (isAbsent(error)) return ifAbsent(path)
        throw error
      }),
    catch: (error) => unusable(error instanceof Error ? error.message : String(error))
  }).pipe(
    Effect.flatMap((text) =>
      text === undefined
        ? Effect.succeed([])
        : Effect.fromResult(
          Result.mapError(SecretsKey.parse(text), () => unusable("it is not base64 of 32 bytes"))
        )
    )
  )
}

/**
 * Loads the key of the embedded database, or makes it at the first start, so that `npm start` needs no settings. The file is beside the
 * data, has the form of `SECRETS_KEY`, and only its owner can read it. A copy of the folder has both the data and the key. Other databases
 * need `SECRETS_KEY`.
 *
 * Load the key only while the embedded database runs, because it allows only one server in the folder.
 */
export const load = (
  directory: string
): Effect.Effect<ReadonlyArray<Redacted.Redacted>, KeyFileUnusable> =>
  loadOr(directory, (path) => make(directory, path))

/** Loads the key of the embedded database, but makes none: there are no keys if the file is absent. */
const loadExisting = (
  directory: string
): Effect.Effect<ReadonlyArray<Redacted.Redacted>, KeyFileUnusable> =>
  loadOr(directory, () => Promise.resolve(undefined))

/** The longest wait of a request for a connection of the database. */
const connectionWaitMillis = 5000

/** The longest time of a statement of `dockline-server migrate`: creating an index of a large table takes long. */
const migrationMillis = 24 * 60 * 60_000

/** Brings the schema up to date, with the tables and functions of all capabilities, including those that the settings leave out. */
const migration = Migrations.migrateWith(sqlCapabilities)

/** Whether other instances may use the same database. */
export const isShared = ({ databaseUrl }: Settings): boolean => Option.isSome(databaseUrl)

export const describe = (settings: Settings): string =>
  Option.match(settings.databaseUrl, {
    onSome: (url) =>
      `PostgreSQL at ${/^[^:]+:\/\/(?:[^/?#]*@)?([^/?#]*)/.exec(Redacted.value(url))?.[1] ?? ""}`,
    onNone: () => `embedded PostgreSQL in ${settings.dataDir}`
  })

/** The URL of the database. The embedded database runs until the scope closes. */
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

/** Connections to the database, without a check of its schema. */
export const connections = (settings: Settings, overrides: Partial<Database.DatabaseConfig> = {}) =>
  Layer.unwrap(
    Effect.map(address(settings), (url) => Database.layer({ ...config(settings), ...overrides, url }))
  )

/**
 * The database with a schema that this version can use, migrated first if the settings permit it. It waits for the database, because
 * services are often started before their database.
 */
export const layer = (settings: Settings) =>
  Layer.effectDiscard(
    withWait<unknown, Migrations.MigrateError | StorageUnavailable, SqlClient.SqlClient>(
      settings.migrate
        ? Effect.andThen(migration, Migrations.pingWith(sqlCapabilities))
        : Migrations.pingWith(sqlCapabilities)
    )
  ).pipe(Layer.provideMerge(connections(settings)))

const forCommand = (settings: Settings) =>
  connections(settings, { maxConnections: 1, statementTimeoutMillis: migrationMillis })

export const migrate = (settings: Settings) =>
  Effect.gen(function*() {
    const ran = yield* withWait(migration)
    const { number } = yield* Migrations.state
    yield* Console.log(
      `The schema of ${describe(settings)} is number ${number}; `
        + (ran.length === 0 ? "no migration had to run" : `ran ${ran.map(([, name]) => name).join(", ")}`)
    )
  }).pipe(Effect.provide(forCommand(settings)))

/** Runs `dockline-server migrate --distribute`; `dryRun` only reports the migrations and steps that would run. */
export const distribute = (settings: Settings, dryRun: boolean, shards: number | undefined) =>
  Effect.gen(function*() {
    yield* withWait(Distribute.check({ shards }))
    const ran = yield* dryRun ? Migrations.pendingWith(sqlCapabilities) : migration
    if (ran.length > 0) {
      yield* Console.log(`${dryRun ? "Run" : "Ran"} the migrations ${ran.map(([, name]) => name).join(", ")}`)
    }
    const options = { capabilities: sqlCapabilities, shards }
    const { steps } = yield* Distribute.distribute(options, Console.log, dryRun)
    yield* Console.log(
      steps + ran.length === 0
        ? `The schema of ${describe(settings)} is distributed, and nothing is left to do`
        : dryRun
        ? "Nothing was changed; leave out --dry-run to do it"
        : `The schema of ${describe(settings)} is distributed`
    )
  }).pipe(Effect.provide(forCommand(settings)))

/** Runs `dockline-server business move`; `dryRun` only reports the steps. */
export const move = (settings: Settings, business: string, to: string, dryRun: boolean) =>
  Effect.provide(Move.move(business, to, Console.log, dryRun), forCommand(settings))

const vaultWith = (settings: Settings, loadKeys: typeof load) =>
  Option.match(settings.secretsKeys, {
    onSome: (keys) =>
      Layer.unwrap(Effect.map(Effect.fromResult(SecretsKey.parse(Redacted.value(keys))), SecretsKey.layer)),
    onNone: () =>
      isShared(settings)
        ? SecretsVault.layerWithoutKey
        : Layer.unwrap(
          Effect.map(
            loadKeys(settings.dataDir),
            (keys) => keys.length === 0 ? SecretsVault.layerWithoutKey : SecretsKey.layer(keys)
          )
        )
  })

/** The vault with the keys of the settings, else with the key beside the embedded database, which is made if there is none. */
export const vault = (settings: Settings) => vaultWith(settings, load)

/** {@link vault}, but no key is made: the vault of an embedded database without a key opens no secret. */
export const vaultOfExisting = (settings: Settings) => vaultWith(settings, loadExisting)

/** The time between two checks of the storage, in milliseconds. */
export const lookMillis = 5_000

const patienceMillis = 10_000

/** The number of failures in a row after which operators are notified. */
const newsFailures = 2

/**
 * Checks periodically whether the storage can be reached, and notifies operators if it cannot (D15.4).
 *
 * Guarantee: a single failure is not reported, because a database that answers the next check was only briefly unavailable. The check
 * delays no request.
 */
export const watchLayer: Layer.Layer<never> = Layer.effectDiscard(
  Effect.gen(function*() {
    const ready = yield* Readiness
    const { tell } = yield* OperatorEvents
    let failures = 0
    const look = ready.pipe(
      Effect.timeout(patienceMillis),
      Effect.match({
        onSuccess: () => {
          failures = 0
        },
        onFailure: () => {
          failures += 1
          if (failures < newsFailures) return
          tell({
            type: "storage.unavailable",
            text: "The storage cannot be reached: requests are answered 503, and no webhook is sent"
          })
        }
      })
    )
    yield* Effect.forkScoped(
      Effect.withTracerEnabled(Effect.forever(Effect.andThen(look, Effect.sleep(lookMillis))), false)
    )
  })
)
