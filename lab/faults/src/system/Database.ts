/** The harness's own queries of a database, not through a proxy. */
import { sqlState } from "@dockline/sql-storage/connections/StorageErrors"
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import { SqlError } from "effect/sql"
import type { SqlClient } from "effect/sql"

/** Runs an effect in a separate session. */
export const inSession = <A, E>(
  url: string,
  work: Effect.Effect<A, E, PgClient.PgClient | SqlClient.SqlClient>
): Promise<A> =>
  Effect.runPromise(work.pipe(
    Effect.provide(PgClient.layer({ url: Redacted.make(url), maxConnections: 1, applicationName: "faults" })),
    Effect.scoped
  ))

export const query = <Row extends object>(url: string, statement: string): Promise<ReadonlyArray<Row>> =>
  inSession(url, Effect.flatMap(PgClient.PgClient, (sql) => sql.unsafe<Row>(statement)))

/** The SQLSTATEs of a statement that the database never runs: the harness is wrong, not the database. */
const wrong = /^(?:0A|42)/

/**
 * Runs statements, which may take `millis`; `undefined` if the database is down or has no time for them. A statement that the database
 * refuses is an error, because otherwise the run would go on as if it had been carried out.
 */
export const attempt = <Row extends object>(
  url: string,
  statement: string,
  millis = 2000
): Promise<ReadonlyArray<Row> | undefined> =>
  inSession(
    url,
    Effect.timeout(Effect.flatMap(PgClient.PgClient, (sql) => sql.unsafe<Row>(statement)), millis)
  ).catch((error: unknown) => {
    if (SqlError.isSqlError(error) && wrong.test(sqlState(error))) throw error
    return undefined
  })

/** The time for a change of rows on all nodes of a cluster, which plan it anew for each shard. */
const changeMillis = 10_000

/**
 * Changes rows of a table of businesses: an `update` without its table. On a cluster each shard runs it by itself, because Citus refuses
 * functions of time zones in updates of distributed tables.
 */
export const change = async (url: string, table: string, update: string): Promise<void> => {
  await attempt(
    url,
    `do $change$
    declare v_failure text;
    begin
      if to_regclass('dockline.shard') is null then
        update dockline.${table} ${update};
        return;
      end if;
      for v_failure in select result from run_command_on_shards('dockline.${table}', $update$update %s ${update}$update$)
        where not success
      loop
        raise exception '%', v_failure using errcode =
          case when v_failure ~* 'connect|timeout|deadlock|cancel|starting up' then '57014' else '42000' end;
      end loop;
    end $change$`,
    changeMillis
  )
}
