/**
 * Distributes the schema over the nodes of a Citus cluster, and brings a cluster up to date after an upgrade.
 *
 * Guarantee: each step checks whether it is already done, so that all steps may be repeated after any interruption. Existing rows are
 * distributed with their tables. An instance is not ready until the first distribution has ended. The caller runs {@link check} first, and
 * lets no instance run meanwhile, because the rows of a table are unavailable while they are copied.
 */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { modulus } from "../../connections/Nodes.ts"
import { callsOf, oneRow } from "../../connections/Statements.ts"
import { bigintText } from "../../rows/RowFields.ts"
import { apply, differenceOf } from "../Definitions.ts"
import type * as SqlCapability from "../SqlCapability.ts"
import { keptTables, places, schemaOf as sqlSchemaOf } from "../SqlSchema.ts"
import type { SqlSchema } from "../SqlSchema.ts"
import { clusterDefinitions, delegatedOf } from "./ClusterDefinitions.ts"
import {
  citusVersion,
  faultOfRelease,
  halfDistributed,
  inUseReason,
  layout,
  nodes,
  schemaOf,
  take
} from "./Layout.ts"
import type { Layout, Shard } from "./Layout.ts"
import type { Signature } from "./Merging.ts"

/** The supported version of Citus: the functions of shards rely on its catalogue and locks. */
const knownVersion = /^13\./

/** The reason why the schema cannot be distributed, with its remedy. If {@link check} fails with it, nothing was changed. */
export class NotDistributable extends Schema.TaggedError<NotDistributable>()("NotDistributable", {
  reason: Schema.String
}) {
  override get message(): string {
    return this.reason
  }
}

/** The capabilities to lay out, and the number of shards. */
export interface DistributeOptions {
  /** The capabilities whose tables and functions are distributed too; they must be migrated. None by default. */
  readonly capabilities?: SqlCapability.List | undefined
  /** The number of shards for the businesses, 16 by default. It applies only to the first distribution. */
  readonly shards?: number | undefined
}

const defaultShards = 16

const refuse = (reason: string) => Effect.fail(new NotDistributable({ reason }))

const SettingsRow = Schema.Struct({
  isCoordinator: Schema.Boolean,
  prepared: Schema.Int,
  wal: Schema.String
})

const ReleaseRow = Schema.Struct({ release: Schema.String })

const NameRow = Schema.Struct({ name: Schema.String })

/** Fails unless the nodes form a supported cluster and the settings are valid. It changes nothing. */
export const check = Effect.fnUntraced(function*({ shards = defaultShards }: DistributeOptions) {
  const sql = yield* SqlClient.SqlClient
  const version = yield* citusVersion
  if (version === undefined) {
    return yield* refuse(
      "The database has no Citus; run create extension citus on each node, and select citus_add_node(host, port) for each worker"
    )
  }
  if (!knownVersion.test(version)) {
    return yield* refuse(
      `Citus must be version 13, but it is ${version}: other versions are untested`
    )
  }
  const { release } = yield* oneRow(callsOf(sql).query(ReleaseRow)`select citus_version() as release`)
  const fault = faultOfRelease(release)
  if (fault !== undefined) return yield* refuse(fault)
  if (!Number.isInteger(shards) || shards < 1 || shards >= modulus) {
    return yield* refuse(`The number of shards must be from 1 to ${modulus - 1}, not ${shards}`)
  }
  const all = yield* nodes
  if (!all.some(({ group }) => group === 0)) {
    return yield* refuse(
      "The coordinator is not in its metadata; run select citus_set_coordinator_host(host, port)"
    )
  }
  const { isCoordinator, prepared, wal } = yield* oneRow(
    callsOf(sql).query(SettingsRow)`select (select groupid = 0 from pg_dist_local_group)
    as "isCoordinator", current_setting('max_prepared_transactions')::int as prepared, current_setting('wal_level') as wal`
  )
  if (!isCoordinator) return yield* refuse("This node is a worker; connect to the coordinator")
  if (prepared === 0) {
    return yield* refuse(
      "max_prepared_transactions is 0; set it to max_connections on each node, as writes of two nodes need it"
    )
  }
  if (wal !== "logical") {
    return yield* refuse("wal_level must be logical on each node, so that businesses can be moved")
  }
})

/** The tables that are distributed, that are copied to every node, or that are on the coordinator and known to all nodes. */
const distributedTables = Effect.gen(function*() {
  const { query } = callsOf(yield* SqlClient.SqlClient)
  const rows = yield* query(NameRow)`select c.relname as name from pg_dist_partition p
    join pg_class c on c.oid = p.logicalrelid where c.relnamespace = to_regnamespace('dockline')`
  return new Set(rows.map(({ name }) => name))
})

const nameShards = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table dockline.shard (anchor bigint primary key, ordinal int not null, beyond bigint not null)`
  yield* sql`select create_distributed_table('dockline.shard', 'anchor', colocate_with => 'dockline.shipment')`
  // Each shard is represented by a number that belongs to it.
  const anchors = yield* callsOf(sql).query(
    Schema.Struct({ anchor: bigintText })
  )`select min(n)::text as anchor from generate_series(1, 20000) as n
    group by get_shard_id_for_distribution_column('dockline.shipment', n) order by min(n)`
  yield* sql`insert into dockline.shard (anchor, ordinal, beyond)
    select anchor::bigint, n, (select coalesce(max(last_value), 0) from pg_sequences where schemaname = 'dockline')
    from unnest(${anchors.map(({ anchor }) => anchor)}::text[]) with ordinality as a(anchor, n)`
})

/** The statement that creates the sequences of a shard. Ids begin above the existing ids. */
export const sequencesStatement = (
  sequences: ReadonlyArray<string>,
  shard: Shard,
  { beyond }: Layout
): string =>
  sequences.map((name) =>
    `create sequence if not exists ${schemaOf(shard)}.${name} increment by ${modulus} start ${
      (BigInt(beyond) / BigInt(modulus) + 1n) * BigInt(modulus) + BigInt(shard.ordinal)
    }`
  ).join("; ")

/** The outcome of a command on a node: its result, or the reason of its failure. */
const CommandRow = Schema.Struct({ node: Schema.String, success: Schema.Boolean, result: Schema.String })

const onWorkers = Effect.fnUntraced(function*(command: string) {
  const { query } = callsOf(yield* SqlClient.SqlClient)
  const rows = yield* query(CommandRow)`select nodename || ':' || nodeport as node, success, result
    from run_command_on_workers(${command})`
  const failure = rows.find(({ success }) => !success)
  if (failure !== undefined) return yield* Effect.die(new Error(`${failure.node}: ${failure.result}`))
  return rows
})

const areSequencesMissing = Effect.fnUntraced(function*(
  sequences: ReadonlyArray<string>,
  shards: ReadonlyArray<Shard>
) {
  const rows = yield* onWorkers(
    `select count(*) from pg_sequences where schemaname in (${
      shards.map((shard) => `'${schemaOf(shard)}'`).join(", ")
    }) and sequencename in (${sequences.map((name) => `'${name}'`).join(", ")})`
  )
  return rows.some(({ result }) => Number(result) < shards.length * sequences.length)
})

/** The statement that makes Citus run a function on the node of its business. */
const delegate = ({ name, parameters }: Signature): string =>
  `select create_distributed_function('dockline.${name}(${
    parameters.map(({ type }) => type).join(", ")
  })', 'p_business',
    colocate_with => 'dockline.shipment', force_delegation => true)`

const undelegatedOf = Effect.fnUntraced(function*(schema: SqlSchema) {
  const { query } = callsOf(yield* SqlClient.SqlClient)
  const rows = yield* query(NameRow)`select p.proname as name from pg_proc p
    left join pg_catalog.pg_dist_object o on o.classid = 'pg_proc'::regclass and o.objid = p.oid
    where p.pronamespace = 'dockline'::regnamespace and o.distribution_argument_index is null`
  const names = new Set(rows.map(({ name }) => name))
  return delegatedOf(schema).filter(({ name }) => names.has(name))
})

/** Brings the functions of these owners to their current texts in a cluster, in the transaction of a migration. */
export const applyCluster = Effect.fnUntraced(function*(
  schema: SqlSchema,
  clusterLayout: Layout,
  owners: ReadonlyArray<string>
) {
  const sql = yield* SqlClient.SqlClient
  // PostgreSQL would check a body in SQL at once, but the tables of a shard are on only one node. Citus passes this setting on to the other
  // nodes.
  yield* sql`set local citus.propagate_set_commands = 'local'`
  yield* sql`set local check_function_bodies = off`
  for (const shard of clusterLayout.shards) {
    yield* sql.unsafe(`create schema if not exists ${schemaOf(shard)}`)
  }
  yield* apply(clusterDefinitions(schema, clusterLayout), owners)
  for (const signature of yield* undelegatedOf(schema)) yield* sql.unsafe(delegate(signature))
})

/**
 * Runs the steps that distribute the schema for the first time or after an upgrade, one after another, and returns their number. `tell` gets
 * the description of each step before the step runs. With `dryRun`, no step runs; the steps are those that would run after the migrations
 * that have run so far. A migration updates functions by itself, so a run after one has no such step.
 *
 * All statements must run on one connection, because the lock and the settings belong to its session.
 */
export const distribute = Effect.fnUntraced(function*(
  { capabilities = [], shards = defaultShards }: DistributeOptions,
  tell: (step: string) => Effect.Effect<void>,
  dryRun: boolean
) {
  const sql = yield* SqlClient.SqlClient
  const schema = sqlSchemaOf(capabilities)
  const { sequences, tables } = schema
  if (!(yield* take)) return yield* refuse(inUseReason)
  const done = yield* distributedTables
  let steps = 0
  const step = <E, R>(description: string, run: Effect.Effect<unknown, E, R>) => {
    steps++
    return Effect.andThen(tell(description), dryRun ? Effect.void : Effect.asVoid(run))
  }
  // The comment of the schema is a mark: instances that find it are not ready (Migrations.ts).
  const setMark = (text: string) =>
    dryRun ? Effect.void : sql.unsafe(`comment on schema dockline is '${text}'`)
  if (!done.has("shard")) yield* setMark(halfDistributed)
  // Tables with rows and foreign keys to places are distributed shard by shard: Citus refuses to distribute all shards at once.
  yield* sql`set citus.multi_shard_modify_mode = 'sequential'`
  // A foreign key would make tables of the coordinator reference tables.
  yield* sql`set citus.enable_local_reference_table_foreign_keys = off`
  for (const place of places) {
    if (!done.has(place)) {
      yield* step(`Copy ${place} to every node`, sql`select create_reference_table(${`dockline.${place}`})`)
    }
  }
  for (const table of tables) {
    if (done.has(table)) continue
    yield* step(
      `Distribute ${table} by business${table === "shipment" ? ` over ${shards} shards` : ""}`,
      table === "shipment"
        ? sql`select create_distributed_table('dockline.shipment', 'business_id', colocate_with => 'none',
            shard_count => ${shards}::int)`
        : sql`select create_distributed_table(${`dockline.${table}`}, 'business_id', colocate_with => 'dockline.shipment')`
    )
  }
  for (const table of keptTables) {
    if (!done.has(table)) {
      yield* step(
        `Let transactions of other nodes write ${table}`,
        sql`select citus_add_local_table_to_metadata(${`dockline.${table}`})`
      )
    }
  }
  if (!done.has("shard")) yield* step("Name the shards", sql.withTransaction(nameShards))
  const clusterLayout = yield* layout
  if (clusterLayout === undefined) {
    yield* step("Create the functions and sequences of each shard on every node", Effect.void)
    return { steps }
  }
  const owners = ["", ...capabilities.map(({ name }) => name)]
  const { changes, old } = yield* differenceOf(clusterDefinitions(schema, clusterLayout), owners)
  const changeCount = changes.length + old.length
  const update = sql.withTransaction(applyCluster(schema, clusterLayout, owners))
  if (changeCount > 0) yield* step(`Update ${changeCount} functions and views on every node`, update)
  else if (!dryRun) yield* update
  if (yield* areSequencesMissing(sequences, clusterLayout.shards)) {
    yield* step(
      "Create the sequences of each shard on every node",
      Effect.forEach(
        clusterLayout.shards,
        (shard) => onWorkers(sequencesStatement(sequences, shard, clusterLayout)),
        {
          discard: true
        }
      )
    )
  }
  yield* setMark("")
  return { steps }
})
