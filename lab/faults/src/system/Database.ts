/** What the harness itself asks a database, past everything that goes wrong. */
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import type { SqlClient } from "effect/sql"

/** Does something in a session of its own. */
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

/** Runs statements, which may take 2 s; `undefined` when the database is away. */
export const attempt = <Row extends object>(
  url: string,
  statement: string
): Promise<ReadonlyArray<Row> | undefined> =>
  inSession(
    url,
    Effect.timeout(Effect.flatMap(PgClient.PgClient, (sql) => sql.unsafe<Row>(statement)), "2 seconds")
  ).catch(() => undefined)
