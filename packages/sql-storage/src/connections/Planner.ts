/**
 * The settings of the planner on the connections of the pool.
 *
 * Plans are made once for each connection: for arrays of unknown length the planner would plan at each call, which took more than half of
 * the time. A plan made for an empty table would be kept for a full one, so the settings favour indexes and their order: sorting or reading
 * all rows is cheaper only while there are few. Functions have no settings of their own, because these took a sixth of the time of a single
 * document. `schema/Plans.ts` says what statements need in addition.
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
  // Disabled plan types have such high costs that PostgreSQL with LLVM would compile every plan, which takes most of a second.
  jit: "off"
} as const

const planOnce = ["plan_cache_mode", "force_generic_plan"] as const

/** An expression that makes a new session plan once, except with Citus, which plans statements for other nodes by their values. */
export const planningOnce = `case when not exists (select from pg_extension where extname = 'citus')
      then set_config('${planOnce.join("', '")}', false) end`

/** All settings as a clause of a function, for connections that are not ours. */
export const clause = [...Object.entries(settings), planOnce].map(([name, value]) => `set ${name} = ${value}`)
  .join(" ")

/** A statement that resets the settings until the transaction ends, because migrations read whole tables. */
export const freely = `select set_config('plan_cache_mode', 'auto', true), ${
  Object.keys(settings).map((name) => `set_config('${name}', 'on', true)`).join(", ")
}`
