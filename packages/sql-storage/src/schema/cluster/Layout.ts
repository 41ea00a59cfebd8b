/** The layout of a cluster: its nodes, and its shards, each of which holds the businesses in a range of hashes. */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { callsOf, oneRow } from "../../connections/Statements.ts"
import { bigintText } from "../../rows/RowFields.ts"

/** A node of the cluster. The coordinator has group 0. */
const NodeRow = Schema.Struct({
  group: Schema.Int,
  host: Schema.String,
  port: Schema.Int,
  isActive: Schema.Boolean
})

/** A node of the cluster. */
export type Node = typeof NodeRow.Type

/** A shard of all tables of businesses; its rows are on one node. */
export interface Shard {
  /** The number that Citus gave the shard of the table `shipment`. */
  readonly id: string
  /** The number of the shard, from 1; see `modulus` in `Nodes.ts`. */
  readonly ordinal: number
  /** A number that is not the id of a business, but would be in this shard. */
  readonly anchor: string
  /** The range of the hashes of its businesses. */
  readonly least: number
  readonly greatest: number
  /** The group of its node. */
  readonly group: number
  /** The names of its tables, by the names of the distributed tables. */
  readonly tables: Readonly<Record<string, string>>
}

/** The layout of a distributed schema. */
export interface Layout {
  readonly shards: ReadonlyArray<Shard>
  /** The names of the copies of `places` on each node. */
  readonly places: Readonly<Record<string, string>>
  /** The largest id from before the cluster. Rows with larger ids were inserted in the cluster, so their ids determine their shards. */
  readonly beyond: string
}

/** The comment that the schema has from the beginning of its first distribution to the end, even after interruptions. */
export const halfDistributed = "half distributed over a cluster"

/** The schema of the functions and sequences of a shard. */
export const schemaOf = ({ id }: Pick<Shard, "id">): string => `dockline_${id}`

/** The version of Citus, such as `13.2-1`; `undefined` if the extension is not installed. */
export const citusVersion = Effect.gen(function*() {
  const { query } = callsOf(yield* SqlClient.SqlClient)
  const [row] = yield* query(
    Schema.Struct({ version: Schema.String })
  )`select extversion as version from pg_extension
    where extname = 'citus'`
  return row?.version
})

/**
 * The fault of a release of Citus, from the text of `citus_version()`; `undefined` if none is known. The version of the extension does not
 * have the last number.
 */
export const faultOfRelease = (release: string): string | undefined =>
  /^Citus 13\.2\.0\b/.test(release)
    ? "Citus 13.2.0 stores no facilities: it ignores reference tables in some joins (mended in 13.2.1); install 13.2.1 or later"
    : undefined

/** Locks the layout of the cluster for a change until the session ends; returns false if another process has the lock. */
export const take = Effect.gen(function*() {
  const { query } = callsOf(yield* SqlClient.SqlClient)
  const { taken } = yield* oneRow(query(Schema.Struct({ taken: Schema.Boolean }))`select
    pg_try_advisory_lock(hashtextextended('dockline.cluster', 0)) as taken`)
  return taken
})

/** The error when another process has the lock. */
export const inUseReason =
  "Another process distributes the database or moves a business; wait until it is done"

/** The primary nodes of the cluster in the order of their groups: the coordinator comes first. */
export const nodes = Effect.gen(function*() {
  const { query } = callsOf(yield* SqlClient.SqlClient)
  return yield* query(
    NodeRow
  )`select groupid as group, nodename as host, nodeport as port, isactive as "isActive"
    from pg_dist_node where noderole = 'primary' order by groupid`
})

/** A row of `dockline.shard`. */
const MarkRow = Schema.Struct({ anchor: bigintText, ordinal: Schema.Int, beyond: bigintText })

const AnchorRow = Schema.Struct({ anchor: bigintText, id: bigintText })

/** A shard of a table. A table of `places` has one shard without bounds, on every node. */
const PartRow = Schema.Struct({
  table: Schema.String,
  id: bigintText,
  least: Schema.NullOr(Schema.Int),
  greatest: Schema.NullOr(Schema.Int),
  group: Schema.Int
})

const namesOf = (parts: ReadonlyArray<typeof PartRow.Type>) =>
  Object.fromEntries(parts.map(({ id, table }) => [table, `dockline.${table}_${id}`]))

/** The layout; `undefined` if the schema is not distributed. */
export const layout = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const { query } = callsOf(sql)
  if ((yield* citusVersion) === undefined) return undefined
  const [exists] =
    yield* sql`select from pg_dist_partition where logicalrelid = to_regclass('dockline.shard')`
  if (exists === undefined) return undefined
  // Citus creates no schema in a transaction that has read shards in parallel.
  yield* sql`select set_config('citus.multi_shard_modify_mode', 'sequential', true)`
  const marks = yield* query(
    MarkRow
  )`select anchor::text, ordinal, beyond::text from dockline.shard order by ordinal`
  const anchors = yield* query(AnchorRow)`select anchor,
    get_shard_id_for_distribution_column('dockline.shipment', anchor::bigint)::text as id
    from unnest(${marks.map(({ anchor }) => anchor)}::text[]) as anchor`
  const parts = yield* query(
    PartRow
  )`select c.relname as table, s.shardid::text as id, s.shardminvalue::int as least,
      s.shardmaxvalue::int as greatest, min(p.groupid) as group
    from pg_dist_shard s join pg_class c on c.oid = s.logicalrelid join pg_dist_placement p on p.shardid = s.shardid
    where c.relnamespace = 'dockline'::regnamespace
    group by c.relname, s.shardid, s.shardminvalue, s.shardmaxvalue order by s.shardminvalue`
  const shards = marks.map(({ anchor, ordinal }): Shard => {
    // Each anchor is in a shard, which has bounds.
    const { id } = anchors.find((each) => each.anchor === anchor)!
    const { greatest, group, least } = parts.find((part) => part.table === "shipment" && part.id === id)!
    const tables = namesOf(parts.filter((part) => part.least === least))
    return { id, ordinal, anchor, least: least!, greatest: greatest!, group, tables }
  })
  const places = namesOf(parts.filter(({ least }) => least === null))
  // There is at least one shard.
  const { beyond } = marks[0]!
  return { shards, places, beyond } satisfies Layout
})
