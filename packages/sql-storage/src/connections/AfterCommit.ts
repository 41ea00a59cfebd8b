/**
 * What is to be done once a transaction has committed.
 *
 * Guarantee: actions run after the commit of the outermost transaction that was begun through {@link transaction},
 * in the order in which they were registered, and never when it is rolled back. Inside a transaction that somebody
 * else began around it they run when the part of ours is done, which may be before that commit.
 */
import { Context, Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"

type Action = () => void

const Pending: Context.Reference<Array<Action> | undefined> = Context.Reference<Array<Action> | undefined>(
  "@dockline/sql-storage/AfterCommit",
  { defaultValue: () => undefined }
)

/** Runs an effect in a transaction, or as a part of the one it is in, and then what was registered meanwhile. */
export const transaction =
  (sql: SqlClient.SqlClient) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError.SqlError, R> =>
    Effect.flatMap(Pending, (outer) => {
      if (outer !== undefined) return sql.withTransaction(effect)
      const actions: Array<Action> = []
      return Effect.tap(
        sql.withTransaction(Effect.provideService(effect, Pending, actions)),
        () => Effect.sync(() => actions.forEach((action) => action()))
      )
    })

/** Registers an action of the transaction this runs in; at once, if it runs in none. */
export const afterCommit = (action: Action): Effect.Effect<void> =>
  Effect.map(Pending, (actions) => void (actions === undefined ? action() : actions.push(action)))
