/**
 * Moves a business, with the other businesses of its shard, to another node of a cluster, while clients use all of them.
 *
 * Guarantee: no row is lost, and the ids of a business keep growing: before the move, the sequences on the new node start far above those
 * on the old node, and after it they are raised above every id that the old node has assigned. Citus copies the rows and applies their
 * changes; at the end, writes wait for a moment and are repeated on the new node.
 */
import { Effect, Record, Schedule, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { modulus } from "../../connections/Nodes.ts"
import { callsOf, oneRow } from "../../connections/Statements.ts"
import { businessId } from "../../rows/BusinessRows.ts"
import { bigintText } from "../../rows/RowFields.ts"
import { sequencesStatement } from "./Distribute.ts"
import { inUseReason, layout, nodes, schemaOf, take } from "./Layout.ts"
import type { Node, Shard } from "./Layout.ts"

/** How far the new sequences start above the old ones: the ids of a kind that a shard may assign while it is moved. */
const ahead = 1_000_000

/** Why a business cannot be moved, as a sentence with its remedy. */
export class NotMovable extends Schema.TaggedError<NotMovable>()("NotMovable", { reason: Schema.String }) {
  override get message(): string {
    return this.reason
  }
}

const nameOf = ({ host, port }: Node): string => `${host}:${port}`

const refuse = (reason: string) => Effect.fail(new NotMovable({ reason }))

const ResultRow = Schema.Struct({ success: Schema.Boolean, result: Schema.String })

const readIds = Schema.decodeUnknownSync(
  Schema.fromJsonString(Schema.Record(Schema.String, bigintText))
)

/** Runs a statement on a node; returns its single value as text. */
const on = Effect.fnUntraced(function*(node: Node, statement: string) {
  const { query } = callsOf(yield* SqlClient.SqlClient)
  const row = yield* oneRow(query(ResultRow)`select success, result
    from master_run_on_worker(array[${node.host}]::text[], array[${node.port}]::int[], array[${statement}]::text[], false)`)
  return row.success ? row.result : yield* refuse(`${nameOf(node)}: ${row.result}`)
})

/** The last ids that the sequences of a shard on a node have assigned, by the names of the sequences. */
const lastIds = Effect.fnUntraced(function*(node: Node, shard: Shard) {
  const text = yield* on(
    node,
    `select coalesce(json_object_agg(sequencename, coalesce(last_value, start_value - increment_by)::text), '{}')
      from pg_sequences where schemaname = '${schemaOf(shard)}'`
  )
  return Record.map(readIds(text), BigInt)
})

/** Raises the sequences of a shard on a node to these ids, unless they are higher already. */
const raise = (node: Node, shard: Shard, ids: Readonly<Record<string, bigint>>) =>
  Effect.forEach(Object.entries(ids), ([name, id]) => {
    const sequence = `${schemaOf(shard)}.${name}`
    return on(
      node,
      `select setval('${sequence}', greatest(${id}, case when is_called then last_value else ${id} end)) from ${sequence}`
    )
  }, { discard: true })

/** How long a move tries to have the remains of earlier moves of its shard dropped. */
const cleaning = Schedule.spaced("1 second").pipe(Schedule.upTo({ duration: "1 minute" }))

/**
 * Makes Citus drop the remains of earlier moves of a shard; fails if some are left. Citus does not drop a table that is in use, and does
 * not move a shard with such a table.
 */
const clean = Effect.fnUntraced(function*(shard: Shard) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`call citus_cleanup_orphaned_resources()`
  const [leftover] = yield* callsOf(sql).query(
    Schema.Struct({ node: Schema.String, name: Schema.String })
  )`select
      n.nodename || ':' || n.nodeport as node, c.object_name as name
    from pg_dist_cleanup c join pg_dist_node n on n.groupid = c.node_group_id and n.noderole = 'primary'
    where c.object_name = any(${Object.values(shard.tables)}::text[]) order by c.record_id limit 1`
  if (leftover !== undefined) {
    return yield* refuse(
      `${leftover.node} still has ${leftover.name}, which an earlier move left: it is in use, or the node is away; `
        + "see pg_locks there, end what holds it, and move the business again"
    )
  }
})

/** The shard of a business, and whether the business exists. */
const PlaceRow = Schema.Struct({ shard: bigintText, isKnown: Schema.Boolean })

/** Moves the shard of a business. A dry run only reports what would be moved. */
export const move = Effect.fnUntraced(function*(
  slug: string,
  to: string,
  tell: (step: string) => Effect.Effect<void>,
  dryRun: boolean
) {
  const sql = yield* SqlClient.SqlClient
  const { query } = callsOf(sql)
  const clusterLayout = yield* layout
  if (clusterLayout === undefined) {
    return yield* refuse("The database is not distributed; dockline-server migrate --distribute does it")
  }
  const all = yield* nodes
  const target = all.find((node) => nameOf(node) === to)
  const workers = all.filter(({ group }) => group !== 0)
  if (target === undefined || target.group === 0) {
    return yield* refuse(`${to} is not a worker; the workers are ${workers.map(nameOf).join(", ")}`)
  }
  const place = yield* oneRow(query(PlaceRow)`select
    get_shard_id_for_distribution_column('dockline.shipment', ${businessId(slug)}::bigint)::text as shard,
    exists (select from dockline.business where slug = ${slug}) as "isKnown"`)
  if (!place.isKnown) return yield* refuse(`There is no business ${slug}`)
  const shard = clusterLayout.shards.find(({ id }) => id === place.shard)!
  const source = all.find(({ group }) => group === shard.group)!
  if (source.group === target.group) {
    yield* tell(`${slug} is on ${to} already`)
    return
  }
  const others = yield* query(Schema.Struct({ slug: Schema.String }))`select slug from dockline.business
    where get_shard_id_for_distribution_column('dockline.shipment', id)::text = ${shard.id} and slug <> ${slug} order by slug`
  const along = others.length === 0
    ? ""
    : `, and with it ${others.length === 1 ? "a business" : `${others.length} businesses`} of its shard: ${
      others.slice(0, 10).map((other) => other.slug).join(", ")
    }${others.length > 10 ? ", …" : ""}`
  yield* tell(`${dryRun ? "Would move" : "Moving"} ${slug} from ${nameOf(source)} to ${to}${along}`)
  if (dryRun) return
  if (!(yield* take)) return yield* refuse(inUseReason)
  yield* Effect.retry(clean(shard), { schedule: cleaning, while: ({ _tag }) => _tag === "NotMovable" })
  const before = yield* lastIds(source, shard)
  yield* on(target, sequencesStatement(Object.keys(before), shard, clusterLayout))
  yield* raise(target, shard, Record.map(before, (id) => id + BigInt(ahead * modulus)))
  yield* sql`select citus_move_shard_placement(${shard.id}::bigint, ${source.host}, ${source.port}::int,
    ${target.host}, ${target.port}::int, 'force_logical')`
  // No transaction uses the old sequences any more. If they went beyond the distance, this raises the new sequences above them.
  yield* raise(target, shard, yield* lastIds(source, shard))
  yield* tell(`Moved ${slug} to ${to}`)
})
