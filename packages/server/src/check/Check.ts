/**
 * `dockline-server check`: reports problems in advance, one line for each finding.
 *
 * Guarantee: it changes no database. An existing embedded database is started, but none is created, and no key.
 */
import type { WebhookEndpoint } from "@dockline/core/webhooks/WebhookEndpoint"
import { WebhookEndpointStore } from "@dockline/core/webhooks/WebhookEndpoint"
import * as Database from "@dockline/sql-storage/connections/Database"
import * as Replication from "@dockline/sql-storage/Replication"
import * as ClusterCheck from "@dockline/sql-storage/schema/cluster/ClusterCheck"
import * as Migrations from "@dockline/sql-storage/schema/Migrations"
import * as Sql from "@dockline/sql-storage/Sql"
import { Cause, Console, Effect, Exit, Logger, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { sealsOf, sqlCapabilities } from "../Capabilities.ts"
import * as ServerDatabase from "../lifecycle/ServerDatabase.ts"
import * as StartMessages from "../lifecycle/StartMessages.ts"
import { settings } from "../settings/Settings.ts"
import type { Settings } from "../settings/Settings.ts"
import * as SettingsCheck from "./SettingsCheck.ts"
import { line, on, those } from "./SettingsCheck.ts"
import type { Finding } from "./SettingsCheck.ts"

const { ok, problem, warning } = on("database")

/** The facts that a database reports about itself and the connection. */
export interface Facts extends Replication.Replication {
  readonly version: string
  readonly versionNumber: number
  readonly encoding: string
  /** Whether the database refuses writes, as a standby does. */
  readonly readOnly: boolean
  readonly fsync: string
  readonly fullPageWrites: string
  readonly free: number
  readonly isEncrypted: boolean
  /** Whether the connection stays on the machine. */
  readonly local: boolean
  /** Whether the user of the connection may create the schema, or change it and all its tables. */
  readonly owner: boolean
  /** The database's clock, in milliseconds since 1970. */
  readonly clock: number
}

const facts: Effect.Effect<Facts, SqlError.SqlError, SqlClient.SqlClient> = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<Facts>`select current_setting('server_version') as version,
    current_setting('server_version_num')::int as "versionNumber",
    current_setting('server_encoding') as encoding,
    pg_is_in_recovery() or current_setting('default_transaction_read_only')::boolean as "readOnly",
    current_setting('fsync') as fsync,
    current_setting('full_page_writes') as "fullPageWrites",
    ${sql.literal(Replication.columns)},
    least(
      current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
        - (select count(*) from pg_stat_activity where datid is not null),
      (select nullif(rolconnlimit, -1) - (select count(*) from pg_stat_activity where usesysid = r.oid)
        from pg_roles r where rolname = current_user),
      (select nullif(datconnlimit, -1) - (select count(*) from pg_stat_activity where datid = d.oid)
        from pg_database d where datname = current_database())
    )::int + 1 as free,
    coalesce((select ssl from pg_stat_ssl where pid = pg_backend_pid()), false) as "isEncrypted",
    coalesce(host(inet_client_addr()) = host(inet_server_addr()), true) as local,
    coalesce((
      select pg_has_role(n.nspowner, 'usage') and not exists (
        select from pg_class c where c.relnamespace = n.oid and not pg_has_role(c.relowner, 'usage'))
      from pg_namespace n where n.nspname = 'dockline'
    ), has_database_privilege(current_database(), 'create')) as owner,
    (extract(epoch from clock_timestamp()) * 1000)::float8 as clock`
  // A select without a table returns one row.
  return row!
})

/** The largest harmless difference between clocks, and the largest one that is only a warning, in milliseconds. */
const smallMillis = 1000
const largeMillis = 30_000

/**
 * The findings from the facts. `need` is the number of connections that an instance opens. `ahead` is the lead of the database's clock in
 * milliseconds.
 */
export const judge = (
  { readOnly, ...facts }: Facts,
  { ahead, need }: { readonly need: number; readonly ahead: number }
): ReadonlyArray<Finding> => {
  const findings = those([
    [
      facts.versionNumber < 140_000,
      problem(`it is PostgreSQL ${facts.version}; use PostgreSQL 14 or newer`)
    ],
    [
      facts.encoding !== "UTF8",
      problem(`it is encoded in ${facts.encoding}; create one with encoding 'UTF8'`)
    ],
    [readOnly, problem("it takes no writes, as a standby does; let DATABASE_URL lead to the primary")],
    [
      !readOnly && !facts.owner,
      problem(
        "its user may not create or change the schema dockline; make that user the owner of the database"
      )
    ],
    [
      facts.fsync === "off" || facts.fullPageWrites === "off",
      problem("a crash of its machine destroys it; set fsync and full_page_writes to on")
    ],
    ...Replication.warningsOf(facts).map((text) => [true, warning(text)] as const),
    [
      !facts.isEncrypted && !facts.local,
      warning("the connection is not encrypted; add ?sslmode=verify-full&sslrootcert=FILE to DATABASE_URL")
    ],
    [
      facts.free < need,
      warning(
        `${facts.free} connections are free there, and an instance opens up to ${need}; `
          + "raise max_connections, or lower DATABASE_CONNECTIONS"
      )
    ]
  ])
  const clock = on("clock")
  const apart = Math.abs(ahead)
  const direction = ahead > 0 ? "ahead of" : "behind"
  const difference = `the database's is ${(apart / 1000).toFixed(1)} s ${direction} ours`
  return [
    ...findings.length > 0 ? findings : [ok(`PostgreSQL ${facts.version} can be used`)],
    apart <= smallMillis
      ? clock.ok("the database has the same time")
      : (apart <= largeMillis ? clock.warning : clock.problem)(
        `${difference}; keep the clocks of all machines right with NTP`
      )
  ]
}

const schema = on("schema")

/** Names a part of the schema that has its own version: the contract's part, or the part of a capability. */
const partOf = ({ owner }: Migrations.Standing): string => owner === "" ? "it" : `its part for ${owner}`

/** The state of the schema, and whether it serves this version. */
const schemaOf = ({ migrate }: Settings): Effect.Effect<Finding, SqlError.SqlError, SqlClient.SqlClient> =>
  Effect.map(Migrations.stateIfAny, (state) => {
    const standing = state && Migrations.outdatedOf(state, sqlCapabilities)
    if (state === undefined || standing !== undefined) {
      const how = standing === undefined
        ? "there is none yet"
        : `${partOf(standing)} is number ${standing.number}, and this version needs ${standing.newest}`
      return migrate
        ? schema.ok(`${how}; the server brings it up to date as it starts`)
        : schema.problem(`${how}; run dockline-server migrate`)
    }
    const mismatch = Migrations.unservedOf(state, sqlCapabilities)
    if (mismatch !== undefined) {
      return schema.problem(
        `${
          partOf(mismatch)
        } is number ${mismatch.number}, and this version knows ${mismatch.newest}; start the newer version`
      )
    }
    if (state.isHalfDistributed) {
      return schema.problem("it is half distributed; let dockline-server migrate --distribute run to its end")
    }
    return schema.ok(
      state.number > Migrations.newest
        ? `it is number ${state.number}, which a newer version has extended; it serves this version`
        : `it is number ${state.number}, which this version needs`
    )
  })

const cluster = on("cluster")

/** The findings about a cluster; none for a single PostgreSQL. */
export const clusterFindings = (state: ClusterCheck.ClusterState | undefined): ReadonlyArray<Finding> => {
  if (state === undefined) return []
  const { nodes, problems, shards, version } = state
  return problems.length > 0
    ? problems.map(cluster.problem)
    : [cluster.ok(`Citus ${version} with ${nodes} nodes and ${shards} shards can be used`)]
}

/** Whether the schema exists and serves this version. */
export const isUsable = Effect.map(Effect.exit(Migrations.pingWith(sqlCapabilities)), Exit.isSuccess)

/** All findings on a database that can be reached. */
export const check = (
  settings: Settings
): Effect.Effect<ReadonlyArray<Finding>, SqlError.SqlError, SqlClient.SqlClient> =>
  Effect.gen(function*() {
    // The first statement opens the connection, which must not count in the comparison of clocks.
    yield* facts
    const before = Date.now()
    const databaseFacts = yield* facts
    const now = (before + Date.now()) / 2
    const connectionCount = Database.connectionsOf(ServerDatabase.config(settings))
    return [
      ...judge(databaseFacts, { need: connectionCount, ahead: databaseFacts.clock - now }),
      yield* schemaOf(settings),
      ...clusterFindings(yield* ClusterCheck.check(sqlCapabilities))
    ]
  })

const patience = "15 seconds"

/** The most endpoints that a check reads, and the most sealed secrets of each capability. */
const mostEndpoints = 1000

const endpointsOf = Effect.gen(function*() {
  const store = yield* WebhookEndpointStore
  const endpoints: Array<WebhookEndpoint> = []
  for (let after: number | null = 0; after !== null && endpoints.length < mostEndpoints;) {
    const page: { readonly items: ReadonlyArray<WebhookEndpoint>; readonly next: string | null } =
      yield* store.list("*", { after, limit: 100 })
    endpoints.push(...page.items)
    after = page.next === null ? null : Number(page.next)
  }
  return endpoints
}).pipe(Effect.provide(Sql.layer))

const sealsOfCapabilities = Effect.provide(sealsOf(mostEndpoints), Sql.layerWith(sqlCapabilities))

const storedFindings = (settings: Settings) =>
  Effect.gen(function*() {
    const databaseFindings = yield* check(settings)
    const [endpoints, seals] = (yield* isUsable) ? [yield* endpointsOf, yield* sealsOfCapabilities] : [[], []]
    const keys = yield* Effect.provide(
      Effect.all([SettingsCheck.check(settings, endpoints), SettingsCheck.checkSeals(settings, seals)]),
      ServerDatabase.vaultOfExisting(settings)
    )
    return [...databaseFindings, ...keys.flat()]
  }).pipe(
    Effect.provide(ServerDatabase.connections(settings, { maxConnections: 1 })),
    Effect.timeout(patience)
  )

const remedy = (settings: Settings): string =>
  Option.isSome(settings.databaseUrl)
    ? "see that it runs, takes connections, and that DATABASE_URL has its address, user, password and name"
    : "see to DATA_DIR, or set DATABASE_URL"

/** All findings for settings that could be read. */
export const findings = (settings: Settings): Effect.Effect<ReadonlyArray<Finding>> =>
  Effect.gen(function*() {
    const own = SettingsCheck.judge(settings)
    if (Option.isNone(settings.databaseUrl) && !existsSync(join(settings.dataDir, "postgres"))) {
      return [...own, ok(`the first start makes an embedded PostgreSQL in ${settings.dataDir}`)]
    }
    const storedExit = yield* Effect.exit(storedFindings(settings))
    if (Exit.isSuccess(storedExit)) return [...own, ...storedExit.value]
    const why = StartMessages.reasonOf(Cause.squash(storedExit.cause))
    return [
      ...own,
      problem(`${ServerDatabase.describe(settings)} cannot be used: ${why}; ${remedy(settings)}`)
    ]
  })

const all: Effect.Effect<ReadonlyArray<Finding>> = Effect.gen(function*() {
  const faults = yield* SettingsCheck.faults
  if (faults.length > 0) return faults
  const read = yield* Effect.exit(settings)
  return Exit.isSuccess(read)
    ? yield* findings(read.value)
    : [on("settings").problem(StartMessages.reasonOf(Cause.squash(read.cause)))]
})

export const run: Effect.Effect<{ readonly problems: number }> = Effect.gen(function*() {
  const allFindings = yield* Effect.provide(all, Logger.layer([]))
  yield* Effect.forEach(allFindings, (finding) => Console.log(line(finding)), { discard: true })
  return { problems: allFindings.filter(({ level }) => level === "problem").length }
})
