/**
 * The functions of a cluster, derived from the functions of a single PostgreSQL, so that each text is written once.
 *
 * - Each shard has a schema with the same texts, in which the names are replaced by the names of the shard, and views are expanded. So
 *   PostgreSQL plans them as on a single node, once for each connection. Citus would plan each statement at each call, which takes 20 times
 *   as long.
 * - `dockline.f(p_business, …)` finds the shard of the business, and calls the function in the schema of the shard. Citus calls it on the
 *   node of the business, whichever node the client is connected to.
 * - Functions that span businesses query the shards and merge their answers (`Merging.ts`).
 *
 * Guarantee: every node has the functions of every shard, so that a shard may move. A function fails if its shard is on another node, or if
 * it had to wait for a move: its transaction is then repeated on the other node (`Nodes.ts`).
 */
import { elsewhere } from "../../connections/Nodes.ts"
import * as Planner from "../../connections/Planner.ts"
import { sql } from "../../connections/Planner.ts"
import { define } from "../Definitions.ts"
import type { Definition } from "../Definitions.ts"
import type { SqlSchema } from "../SqlSchema.ts"
import { schemaOf } from "./Layout.ts"
import type { Layout, Shard } from "./Layout.ts"
import { atNode, callInShard, helpers, isSet, resultOf, signatureOf } from "./Merging.ts"
import type { Signature } from "./Merging.ts"
import { ofCoordinator } from "./Spanning.ts"

const qualifiedName = /\bdockline\.(\w+)/g

const mentionsOf = ({ text }: Definition): ReadonlyArray<string> =>
  Array.from(text.matchAll(qualifiedName), ([, name = ""]) => name)

/** The definitions that use rows of businesses, directly or through other definitions. */
const ofBusinesses = ({ definitions, sequences, tables }: SqlSchema): ReadonlyArray<Definition> => {
  const names = new Set<string>([...tables, ...sequences, "is_here"])
  for (let size = 0; size < names.size;) {
    size = names.size
    for (const each of definitions) if (mentionsOf(each).some((name) => names.has(name))) names.add(each.name)
  }
  return definitions.filter(({ name }) => names.has(name))
}

const functionsOf = (schema: SqlSchema): ReadonlyArray<Definition> =>
  ofBusinesses(schema).filter(({ kind }) => kind === "function")

const bodyOf = ({ text }: Definition): string => text.slice(text.indexOf("\nselect ") + 1)

/** Translates a text for a shard: replaces each name that belongs to businesses by the name of the shard. */
const inShardOf = (schema: SqlSchema, layout: Layout) => {
  const ofShard = ofBusinesses(schema)
  const views = new Map(
    ofShard.filter(({ kind }) => kind === "view").map((view) => [view.name, bodyOf(view)])
  )
  const own = new Set([...ofShard.map(({ name }) => name), ...schema.sequences])
  const inShard = (shard: Shard, text: string): string =>
    text.replaceAll(qualifiedName, (whole, name: string) => {
      const view = views.get(name)
      if (view !== undefined) return `(${inShard(shard, view)})`
      return own.has(name) ? `${schemaOf(shard)}.${name}` : shard.tables[name] ?? layout.places[name] ?? whole
    })
  return inShard
}

const isHere = (shard: Shard): string =>
  sql`
create or replace function ${schemaOf(shard)}.is_here(p_business bigint) returns boolean
language sql as 'select worker_hash(p_business) between ${shard.least} and ${shard.greatest}'`

/** The functions of the shards. */
const ofShards = (schema: SqlSchema, layout: Layout): ReadonlyArray<Definition> => {
  const functions = functionsOf(schema)
  const inShard = inShardOf(schema, layout)
  return layout.shards.flatMap((shard) =>
    functions.map(({ name, owner, text }) =>
      define(name === "is_here" ? isHere(shard) : inShard(shard, text), owner)
    )
  )
}

const declarationOf = (parameters: Signature["parameters"]): string =>
  parameters.map(({ name, type }) => `${name} ${type}`).join(", ")

/**
 * A function that calls the function of a shard: the shard of the business in its first parameter. If the client is connected to another
 * node, the call runs on a connection of Citus, which does not have the settings of the pool.
 */
const dispatcher = (signature: Signature): string => {
  const { name, parameters, returns } = signature
  return sql`
create or replace function dockline.${name}(${declarationOf(parameters)}) returns ${returns}
language plpgsql ${Planner.clause} as $$
declare
  v_shard bigint := dockline.shard_here(${parameters[0]!.name});
  ${resultOf(signature)}
begin
  if v_shard is null then return${isSet(returns) || returns === "void" ? "" : " null"}; end if;
  ${callInShard(signature, "v_shard")}
end $$`
}

/**
 * Finds the shard of a business; null for no business. The shard does not move before the end of the transaction: a move waits for it, and
 * a call that had to wait for a move then finds that the shard is on another node.
 */
const shardHere = sql`
create or replace function dockline.shard_here(p_business bigint) returns bigint
language plpgsql as $$
declare
  v_shard bigint;
begin
  if p_business is null then return null; end if;
  v_shard := get_shard_id_for_distribution_column('dockline.shipment', p_business);
  perform lock_shard_metadata(5, array[v_shard]);
  if not exists (select from pg_dist_placement p join pg_dist_local_group g on g.groupid = p.groupid
    where p.shardid = v_shard)
  then
    raise exception 'The business is on another node' using errcode = '${elsewhere}';
  end if;
  return v_shard;
end $$`

/** Whether a function is called from outside with a business as its first parameter. The node of the business runs such a function. */
const isDelegated = (definition: Definition): boolean =>
  definition.name !== "is_here" && signatureOf(definition).parameters[0]?.name === "p_business"

/** The functions that the node of a business runs. */
export const delegatedOf = (schema: SqlSchema): ReadonlyArray<Signature> =>
  functionsOf(schema).filter(isDelegated).map(signatureOf)

/** The functions of a cluster. Each has the owner of the function from which it is derived. */
export const clusterDefinitions = (schema: SqlSchema, layout: Layout): ReadonlyArray<Definition> => {
  const functions = functionsOf(schema)
  const derive = (from: ReadonlyArray<Definition>, textOf: (signature: Signature) => string) =>
    from.map((each) => define(textOf(signatureOf(each)), each.owner))
  const spans = functions.filter(({ name }) => schema.spanning[name] !== undefined)
  return [
    ...schema.definitions.filter((each) => each.kind === "function" && !functions.includes(each)).map(
      (each) => {
        const text = ofCoordinator[each.name]
        return text === undefined ? each : define(text(signatureOf(each), layout), each.owner)
      }
    ),
    define(shardHere),
    ...helpers(layout).map((text) => define(text)),
    ...ofShards(schema, layout),
    ...derive(functions.filter(isDelegated), dispatcher),
    ...derive(spans, atNode),
    ...derive(spans, (signature) => schema.spanning[signature.name]!(signature, layout))
  ]
}
