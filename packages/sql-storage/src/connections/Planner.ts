/**
 * How the planner works on the connections of the pool.
 *
 * Plans are made once for a connection: for arrays of unknown length the planner would plan at each call, which took more than
 * half of the time. A plan made for an empty table would be kept for a full one, so statements are held to indexes and to their
 * order: what sorts or reads all rows costs less only while there are few. Functions have no settings of their own, as these took
 * a sixth of the time of a document that comes alone. `schema/Plans.ts` says what a statement needs besides.
 */

/** The settings that a connection has from its beginning. */
export const settings = {
  enable_seqscan: "off",
  enable_bitmapscan: "off",
  enable_hashjoin: "off",
  enable_mergejoin: "off",
  enable_material: "off",
  enable_sort: "off",
  enable_incremental_sort: "off",
  // Disabled plans cost so much that PostgreSQL, where it has LLVM, would compile each of them, which takes most of a second.
  jit: "off"
} as const

const planOnce = ["plan_cache_mode", "force_generic_plan"] as const

/** An expression that lets a new session plan once, unless it is one of Citus, which plans by values what other nodes do. */
export const planningOnce = `case when not exists (select from pg_extension where extname = 'citus')
      then set_config('${planOnce.join("', '")}', false) end`

/** All of them as a clause of a function, for connections that are not ours. */
export const clause = [...Object.entries(settings), planOnce].map(([name, value]) => `set ${name} = ${value}`)
  .join(" ")

/** A statement that gives the planner its freedom until the transaction ends: migrations read whole tables. */
export const freely = `select set_config('plan_cache_mode', 'auto', true), ${
  Object.keys(settings).map((name) => `set_config('${name}', 'on', true)`).join(", ")
}`
