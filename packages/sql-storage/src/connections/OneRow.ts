/** The row of a statement that returns one whatever it finds, as a call of a function or an aggregate does. */
import { Effect } from "effect"

/** Takes the row; without one, the statement is not such as this is for. */
export const oneRow = <Row, E, R>(
  statement: Effect.Effect<ReadonlyArray<Row>, E, R>
): Effect.Effect<Row, E, R> =>
  Effect.map(statement, ([row]) => {
    if (row === undefined) throw new Error("The statement returned no row")
    return row
  })
