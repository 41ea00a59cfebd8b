/**
 * How SQL is written so that its plan serves a small table and a large one: `connections/Planner.ts` holds statements to indexes.
 *
 * A look-up for each row is written as a scalar subquery: `exists` might become a join over all rows. Rows are returned in the order of
 * their place in a list (`with ordinality`): by their ids, an index would be read from its beginning.
 *
 * Where a plan that was made for an empty table reads all rows of a business or of the table nevertheless, a statement has a hint.
 * `WriteCost.test.ts` (intake, movement, steps, pallets), `ListCost.test.ts` (lists, shipments, deliveries) or `DeliveryCost.test.ts`
 * counts these rows, and fails without the hint on one of PostgreSQL 14 to 18:
 *
 * - `offset 0`: the subquery is not made a join, so that it is looked up for each row.
 * - `column + 0`: no index that begins with the column serves the condition or the order.
 * - `ctid`: a row is found by a scalar subquery, and then changed where it lies; its lock keeps it from moving.
 *
 * What these tests do not run has the hint of a statement that it is like, which they do: in intake the locks for which it does not
 * wait, the shipments that it changes and the numbers in use; in steps what departed with an LPN and what a shipment expects of
 * another; the orders of an exception; and deliveries that are put behind others. What calls a function for each row has `offset 0`,
 * so that it is called once.
 */

/** Tags a text of SQL, so that editors show it as SQL; a backslash in it is one. */
export const sql = String.raw
