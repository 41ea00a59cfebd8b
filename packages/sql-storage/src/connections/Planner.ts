/**
 * The settings of the planner on the connections of the pool, and the rules for writing SQL so that one plan serves small and large tables.
 *
 * Plans are made once for each connection: the planner would make a new plan at each call with arrays of unknown length, which took more
 * than half of the time. A plan that was made for an empty table is kept when the table is full, so the settings favour indexes and their
 * order: sorting or reading all rows is cheaper only while there are few rows. Functions have no settings of their own, because these took
 * a sixth of the time of a single document.
 *
 * A look-up for each row is a scalar subquery, or a lateral one with `offset 0`: PostgreSQL might turn `exists`, or a join, into a join over
 * all rows. It estimates the rows of a business by the average of all businesses: beside many small ones it takes all rows of a large
 * business for fewer than those that are looked up. Rows are returned in the order of their positions in a list (`with ordinality`): to sort
 * them by id, PostgreSQL would read an index from its beginning.
 *
 * If a plan that was made for an empty table still reads all rows of a business or of the table, the statement has a hint:
 *
 * - `offset 0`: PostgreSQL does not turn the subquery into a join, so that it runs for each row. If the subquery calls a function, it calls
 *   the function only once.
 * - `column + 0`: no index that begins with the column serves the condition or the order.
 * - `ctid`: a scalar subquery finds the row, and the statement changes the row by its `ctid`; the lock of the row keeps it from moving.
 * - `materialized`: a subquery runs once for each row, although its result is used twice.
 *
 * Tests count the rows that statements read, or their look-ups and calls. Without a hint they fail on at least one of PostgreSQL 14 to 18,
 * often on only one:
 *
 * - `WriteCost.test.ts`: `intake.sql`, `movement.sql`, `steps.sql`, `pallets.sql`, and the tracking of `shipments.sql`;
 * - `ListCost.test.ts`: `shipment_lists.sql`, other lists, and look-ups by a list;
 * - `DeliveryCost.test.ts`: `deliveries.sql`, except the opening of endpoints, which is in `BacklogCost.test.ts`;
 * - the test of the store of a capability: its other SQL.
 */

/** The settings of each new connection. */
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

/**
 * An expression that makes a new session plan each statement once. It does nothing with Citus, which plans statements for other nodes by
 * their values.
 */
export const planningOnce = `case when not exists (select from pg_extension where extname = 'citus')
      then set_config('${planOnce.join("', '")}', false) end`

/** All settings as a clause of a function, for connections that do not belong to the pool. */
export const clause = [...Object.entries(settings), planOnce].map(([name, value]) => `set ${name} = ${value}`)
  .join(" ")

/** A statement that resets the settings until the transaction ends, because migrations read whole tables. */
export const freely = `select set_config('plan_cache_mode', 'auto', true), ${
  Object.keys(settings).map((name) => `set_config('${name}', 'on', true)`).join(", ")
}`

/** Tags a text as SQL for editors. Backslashes stay as they are. */
export const sql = String.raw
