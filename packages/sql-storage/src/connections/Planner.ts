/**
 * How the planner works on the connections of the pool, and how SQL is written so that one plan serves small and large tables.
 *
 * Plans are made once for each connection: for arrays of unknown length the planner would plan at each call, which took more than half of
 * the time. A plan made for an empty table would be kept for a full one, so the settings favour indexes and their order: sorting or reading
 * all rows is cheaper only while there are few. Functions have no settings of their own, because these took a sixth of the time of a single
 * document.
 *
 * A look-up for each row is a scalar subquery: `exists` might become a join over all rows. Rows come back in the order of their place in a
 * list (`with ordinality`): to sort by id, an index would be read from its beginning.
 *
 * If a plan that was made for an empty table still reads all rows of a business or of the table, the statement has a hint.
 * `WriteCost.test.ts` (intake, movement, steps, pallets), `ListCost.test.ts` (lists, shipments, deliveries) or `DeliveryCost.test.ts`
 * counts these rows, and fails without the hint on one of PostgreSQL 14 to 18:
 *
 * - `offset 0`: the subquery is not made a join, so that it is looked up for each row.
 * - `column + 0`: no index that begins with the column serves the condition or the order.
 * - `ctid`: a row is found by a scalar subquery, and then changed where it lies; its lock keeps it from moving.
 *
 * Statements that these tests do not run have the hint of a similar statement that they do run: in intake the locks for which it does not
 * wait, the shipments that it changes and the numbers in use; in steps the pallets that one shipment expects of another; the orders of an
 * exception; and deliveries that wait for others. A subquery that calls a function for each row has `offset 0`, so that the function is
 * called only once.
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

/** Tags a text of SQL, so that editors show it as SQL; a backslash in it is one. */
export const sql = String.raw
