/**
 * Finds the node of each business in a cluster. Transactions of a business run on a connection to the node that has its rows, so they cost
 * as much as on a single PostgreSQL. Everything else runs on the coordinator, to which the URL leads.
 *
 * Guarantee: outdated nodes only cost time. If a shard has moved, its function fails, and the transaction is repeated on the new node. When
 * a node cannot be reached, all nodes are looked up again, because another node may have replaced it.
 */
import { Context, Effect, Schedule, Schema } from "effect"
import { SqlError } from "effect/sql"
import type { SqlClient } from "effect/sql"
import { callsOf, oneRow } from "./Statements.ts"
import { sqlState } from "./StorageErrors.ts"

/** The address of a worker. */
export interface NodeAddress {
  readonly host: string
  readonly port: number
}

/** The key of a node; empty for the database of the URL. */
export const keyOf = (node: NodeAddress | undefined): string =>
  node === undefined ? "" : `${node.host}:${node.port}`

/** The nodes of businesses; a single PostgreSQL has none. */
export interface Nodes {
  /** The node of a business, by its id; `undefined` for the database of the URL. */
  readonly of: (business: string) => Effect.Effect<NodeAddress | undefined, SqlError.SqlError>
  /**
   * Returns, for the id of a row, a number that stands for the business of the row: {@link of} accepts it as the id of a business.
   * `undefined` without a cluster, and for an id from before the cluster.
   */
  readonly anchorOf: (id: number) => Effect.Effect<string | undefined, SqlError.SqlError>
  /** A number that is no business, but has a shard: it stands for the business of a row that does not exist. `undefined` without a cluster. */
  readonly nobody: Effect.Effect<string | undefined, SqlError.SqlError>
  /** Whether the rows of businesses are distributed over the nodes of a cluster. */
  readonly isCluster: Effect.Effect<boolean, SqlError.SqlError>
  /** Forgets the nodes, so that they are looked up again. */
  readonly forget: Effect.Effect<void>
}

/** The nodes of businesses; `Database.layer` provides them. By default there is one PostgreSQL. */
export const Nodes: Context.Reference<Nodes> = Context.Reference<Nodes>("@dockline/sql-storage/Nodes", {
  defaultValue: () => ({
    of: () => Effect.undefined,
    anchorOf: () => Effect.undefined,
    nobody: Effect.undefined,
    isCluster: Effect.succeed(false),
    forget: Effect.void
  })
})

/** The ordinal of a shard is the remainder when an id of its rows is divided by this number. */
export const modulus = 1024

/** The SQLSTATE of a function whose shard is on another node. */
export const elsewhere = "DK001"

/** The most businesses whose shards are remembered. */
const capacity = 100_000

/** Whether a shard was on another node. */
export const isElsewhere = (error: unknown): boolean =>
  SqlError.isSqlError(error) && sqlState(error) === elsewhere

/** A row of `dockline.shard`. */
const AnchorRow = Schema.Struct({ anchor: Schema.String, ordinal: Schema.Int, beyond: Schema.Number })

/** A shard and its node. */
const ShardRow = Schema.Struct({ shard: Schema.String, host: Schema.String, port: Schema.Int })

/** How often, and at which interval, work is repeated if its shard was on another node. */
const repeats = { times: 100, schedule: Schedule.spaced("50 millis") }

/** Repeats work whose shard has moved, after `forget`. The work must claim its connection itself. */
export const followShards =
  (forget: Effect.Effect<void>) => <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.retry(work, {
      ...repeats,
      while: (error) => isElsewhere(error) ? Effect.as(forget, true) : Effect.succeed(false)
    })

/** Looks up the nodes in the metadata of the coordinator at the first use. */
export const make = (sql: SqlClient.SqlClient): Nodes => {
  const { query } = callsOf(sql)
  let isCluster: boolean | undefined
  let nodes: ReadonlyMap<string, NodeAddress> | undefined
  const shards = new Map<string, string>()
  let anchorTable: { readonly byOrdinal: ReadonlyMap<number, string>; readonly beyond: number } | undefined

  const look = Effect.gen(function*() {
    if (isCluster !== undefined) return isCluster
    const { is } = yield* oneRow(
      query(Schema.Struct({ is: Schema.Boolean }))`select to_regclass('dockline.shard') is not null as is`
    )
    return isCluster = is
  })

  const placements = Effect.gen(function*() {
    if (nodes !== undefined) return nodes
    const rows = yield* query(ShardRow)`select s.shardid::text as shard,
        n.nodename as host, n.nodeport as port
      from pg_dist_shard s join pg_dist_placement p on p.shardid = s.shardid
      join pg_dist_node n on n.groupid = p.groupid and n.noderole = 'primary'
      where s.logicalrelid = 'dockline.shipment'::regclass`
    return nodes = new Map(rows.map(({ host, port, shard }) => [shard, { host, port }]))
  })

  const anchors = Effect.gen(function*() {
    if (anchorTable !== undefined) return anchorTable
    const rows = yield* query(
      AnchorRow
    )`select anchor::text, ordinal, beyond::float8 as beyond from dockline.shard`
    const byOrdinal = new Map(rows.map(({ anchor, ordinal }) => [ordinal, anchor]))
    return anchorTable = { byOrdinal, beyond: Math.max(...rows.map(({ beyond }) => beyond)) }
  })

  const shardOf = Effect.fnUntraced(function*(business: string) {
    const present = shards.get(business)
    if (present !== undefined) return present
    const row = yield* oneRow(query(Schema.Struct({ shard: Schema.String }))`select
      get_shard_id_for_distribution_column('dockline.shipment', ${business}::bigint)::text as shard`)
    if (shards.size >= capacity) shards.clear()
    shards.set(business, row.shard)
    return row.shard
  })

  return {
    isCluster: look,
    of: Effect.fnUntraced(function*(business) {
      if (!(yield* look)) return undefined
      return (yield* placements).get(yield* shardOf(business))
    }),
    anchorOf: Effect.fnUntraced(function*(id) {
      if (!(yield* look)) return undefined
      const { beyond, byOrdinal } = yield* anchors
      return id > beyond ? byOrdinal.get(id % modulus) : undefined
    }),
    nobody: Effect.gen(function*() {
      if (!(yield* look)) return undefined
      const [anchor] = (yield* anchors).byOrdinal.values()
      return anchor
    }),
    forget: Effect.sync(() => {
      nodes = undefined
    })
  }
}
