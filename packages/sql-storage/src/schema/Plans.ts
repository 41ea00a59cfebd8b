/**
 * How SQL is written so that one plan serves small and large tables. The settings in `connections/Planner.ts` favour indexes.
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
 * wait, the shipments that it changes and the numbers in use; in steps the pallets that one shipment expects of another; the
 * orders of an exception; and deliveries that wait for others. A subquery that calls a function for each
 * row has `offset 0`, so that the function is called only once.
 */

/** Tags a text of SQL, so that editors show it as SQL; a backslash in it is one. */
export const sql = String.raw
