/** The rows of statements that return one row, or one row at most. */
import { Effect } from "effect"

/** Takes the row of a statement that returns one whatever it finds, as a call of a function or an aggregate does. */
export const oneRow = <Row, E, R>(
  statement: Effect.Effect<ReadonlyArray<Row>, E, R>
): Effect.Effect<Row, E, R> =>
  Effect.map(statement, ([row]) => {
    if (row === undefined) throw new Error("The statement returned no row")
    return row
  })

/** Takes the row, or `null`. */
export const rowOrNull = <Row, E, R>(
  statement: Effect.Effect<ReadonlyArray<Row>, E, R>
): Effect.Effect<Row | null, E, R> => Effect.map(statement, ([row]) => row ?? null)
