/** The layout of a cluster: its nodes, and the shards with the businesses whose hashes they hold. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
import { oneRow } from "../../connections/OneRow.ts"

/** A node of the cluster. The coordinator has group 0. */
export interface Node {
  readonly group: number
  readonly host: string
  readonly port: number
  readonly isActive: boolean
}

/** A shard of all tables of businesses; its rows are on one node. */
export interface Shard {
  /** The number that Citus gave the shard of the table `shipment`. */
  readonly id: string
  /** From 1; see `modulus` in Names.ts. */
  readonly ordinal: number
  /** A number that is no business, and would be in this shard. */
  readonly anchor: string
  /** The hashes of its businesses. */
  readonly least: number
  readonly greatest: number
  /** The group of its node. */
  readonly group: number
  /** The names of its tables, by the tables that they are parts of. */
  readonly tables: Readonly<Record<string, string>>
}

/** How a distributed schema is laid out. */
export interface Layout {
  readonly shards: ReadonlyArray<Shard>
  /** The names of the copies of places on each node. */
  readonly places: Readonly<Record<string, string>>
  /** Rows with larger ids were inserted in the cluster, so that their ids tell their shards. */
  readonly beyond: string
}

/** The comment on the schema from the beginning of its first distribution to the end, after interruptions too. */
export const halfDistributed = "half distributed over a cluster"

/** The schema of the functions and sequences of a shard. */
export const schemaOf = ({ id }: Pick<Shard, "id">): string => `dockline_${id}`

/** The version of Citus, e.g. `13.2-1`; `undefined` where the extension is not installed. */
export const citusVersion: Effect.Effect<string | undefined, SqlError.SqlError, SqlClient.SqlClient> = Effect
  .gen(
    function*() {
      const sql = yield* SqlClient.SqlClient
      const [row] = yield* sql<{ readonly version: string }>`select extversion as version from pg_extension
      where extname = 'citus'`
      return row?.version
    }
  )

/** Takes the cluster for a change of its layout, as long as the session lasts; false if another process has it. */
export const take = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const row = yield* oneRow(sql<{ readonly taken: boolean }>`select
    pg_try_advisory_lock(hashtextextended('dockline.cluster', 0)) as taken`)
  return row.taken
})

/** What is said where another process has the cluster. */
export const taken = "Another process distributes the database or moves a business; wait until it is done"

/** The nodes of the cluster. */
export const nodes = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<Node>`select groupid as group, nodename as host, nodeport as port, isactive as "isActive"
    from pg_dist_node where noderole = 'primary' order by groupid`
})

/** The layout, or `undefined` where the schema is not distributed. */
export const layout: Effect.Effect<Layout | undefined, SqlError.SqlError, SqlClient.SqlClient> = Effect.gen(
  function*() {
    const sql = yield* SqlClient.SqlClient
    if ((yield* citusVersion) === undefined) return undefined
    const [exists] =
      yield* sql`select from pg_dist_partition where logicalrelid = to_regclass('dockline.shard')`
    if (exists === undefined) return undefined
    // Citus makes no schema in a transaction that has read shards at the same time.
    yield* sql`select set_config('citus.multi_shard_modify_mode', 'sequential', true)`
    const marks = yield* sql<
      { readonly anchor: string; readonly ordinal: number; readonly beyond: string }
    >`select
      anchor::text, ordinal, beyond::text from dockline.shard order by ordinal`
    const parts = yield* sql<
      {
        readonly table: string
        readonly id: string
        readonly least: number | null
        readonly greatest: number | null
        readonly group: number
      }
    >`select c.relname as table, s.shardid::text as id, s.shardminvalue::int as least, s.shardmaxvalue::int as greatest,
        min(p.groupid) as group
      from pg_dist_shard s join pg_class c on c.oid = s.logicalrelid join pg_dist_placement p on p.shardid = s.shardid
      where c.relnamespace = 'dockline'::regnamespace
      group by c.relname, s.shardid, s.shardminvalue, s.shardmaxvalue order by s.shardminvalue`
    const nameOf = (part: { readonly table: string; readonly id: string }) =>
      `dockline.${part.table}_${part.id}`
    const anchors = yield* sql<{ readonly anchor: string; readonly id: string }>`select anchor,
      get_shard_id_for_distribution_column('dockline.shipment', anchor::bigint)::text as id
      from unnest(${marks.map(({ anchor }) => anchor)}::text[]) as anchor`
    const shards = parts.filter(({ table }) => table === "shipment").map(
      ({ group, greatest, id, least }): Shard => {
        const { anchor } = anchors.find((each) => each.id === id)!
        const { ordinal } = marks.find((mark) => mark.anchor === anchor)!
        const own = parts.filter((part) => part.least === least)
        return {
          id,
          ordinal,
          anchor,
          least: least!,
          greatest: greatest!,
          group,
          tables: Object.fromEntries(own.map((part) => [part.table, nameOf(part)]))
        }
      }
    )
    return {
      shards: shards.toSorted((left, right) => left.ordinal - right.ordinal),
      places: Object.fromEntries(
        parts.filter(({ least }) => least === null).map((part) => [part.table, nameOf(part)])
      ),
      beyond: marks[0]!.beyond
    }
  }
)
