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
 * If a plan that was made for an empty table still reads all rows of a business or of the table, the statement has a hint:
 *
 * - `offset 0`: the subquery is not made a join, so that it is looked up for each row. If it calls a function, it is called only once.
 * - `column + 0`: no index that begins with the column serves the condition or the order.
 * - `ctid`: a row is found by a scalar subquery, and then changed where it lies; its lock keeps it from moving.
 * - `materialized`: a subquery is looked up once for each row, although its result is used twice.
 *
 * Tests count the rows that statements read, or their look-ups and calls, and fail without a hint on at least one of PostgreSQL 14 to 18,
 * often on one alone:
 *
 * - `WriteCost.test.ts`: `intake.sql`, `movement.sql`, `steps.sql`, `pallets.sql`, and the tracking of `shipments.sql`;
 * - `ListCost.test.ts`: `shipment_lists.sql`, and the lists of the other files;
 * - `DeliveryCost.test.ts`: `deliveries.sql`, except the opening of endpoints, which `BacklogCost.test.ts` has;
 * - the test of a capability's store: the SQL of the capability.
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
