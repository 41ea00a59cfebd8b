/**
 * The settings of SQL functions, by what their statements look for.
 *
 * Plans are made once: for arrays of unknown length the planner would plan at each call, which took more than half of the
 * time. A plan made for an empty table would be kept for a full one, so functions are held to indexes. A look-up for each
 * row is written as a scalar subquery: `exists` might become a join over all rows.
 *
 * Where a plan that was made for an empty table reads all rows of a business or of the table nevertheless, a statement has a hint.
 * `WriteCost.test.ts`, `ListCost.test.ts` or `DeliveryCost.test.ts` counts these rows, and fails without the hint:
 *
 * - `offset 0`: the subquery is not made a join, so that it is looked up for each row.
 * - `column + 0`: no index that begins with the column serves the condition or the order.
 * - `ctid`: a row is found by a scalar subquery, and then changed where it lies; its lock keeps it from moving.
 */

/**
 * For statements that find rows by an index only. Disabled plans cost so much that PostgreSQL, where it has LLVM, would
 * compile each of them, which takes most of a second.
 */
export const byIndex = `set plan_cache_mode = force_generic_plan set enable_seqscan = off
  set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
  set enable_material = off set jit = off`

/**
 * {@link byIndex} for statements that read the first rows in the order of an index. Otherwise they would sort the rows of
 * another index, which costs less while there are few.
 */
export const inOrder = `${byIndex} set enable_sort = off set enable_incremental_sort = off`

/** Limits the wait of a statement that drops rows for a lock. */
export const briefly = `set lock_timeout = '1s'`

/** Tags a text of SQL, so that editors show it as SQL; a backslash in it is one. */
export const sql = String.raw
