/** The sessions that wait for locks of the database, on any node of a cluster. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { inject } from "vitest"

/** The sum of a number over these sessions. */
const ofWaiters = (number: string) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const statement = `select ${number}::int as number from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`
    const [row] = yield* inject("workerUrls").length === 0
      ? sql.unsafe<{ readonly number: number }>(statement)
      : sql<{ readonly number: number }>`select sum(result::int)::int as number
        from run_command_on_all_nodes(${statement})`
    return row!.number
  })

/** The number of these sessions. */
export const lockWaits = ofWaiters("count(*)")

/** Ends these sessions; returns their number. */
export const endLockWaits = ofWaiters("count(pg_terminate_backend(pid))")
