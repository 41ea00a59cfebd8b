/**
 * Actions after the commit of a transaction.
 *
 * Guarantee: actions run after the commit of the outermost {@link transaction} or {@link commits}, in the order of their registration, and never
 * after a rollback. Inside a transaction that was begun in another way they run at the end of the inner part, which may be
 * before the commit.
 */
import { Context, Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"

type Action = () => void

const Pending: Context.Reference<Array<Action> | undefined> = Context.Reference<Array<Action> | undefined>(
  "@dockline/sql-storage/AfterCommit",
  { defaultValue: () => undefined }
)

/** Runs an effect that commits what it does, and then its actions. */
export const commits = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    const actions: Array<Action> = []
    return Effect.tap(
      Effect.provideService(effect, Pending, actions),
      () => Effect.sync(() => actions.forEach((action) => action()))
    )
  })

/** Runs an effect in a transaction, or as a part of the present one, and then its actions. */
export const transaction =
  (sql: SqlClient.SqlClient) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError.SqlError, R> =>
    Effect.flatMap(
      Pending,
      (outer) => outer === undefined ? commits(sql.withTransaction(effect)) : sql.withTransaction(effect)
    )

/** Registers an action with the present transaction; without one, runs it at once. */
export const afterCommit = (action: Action): Effect.Effect<void> =>
  Effect.map(Pending, (actions) => void (actions === undefined ? action() : actions.push(action)))
