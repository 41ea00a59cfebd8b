/** The harness's own queries of a database, not through a proxy. */
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
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

/** Runs statements, which may take 2 s; `undefined` if the database is down. */
export const attempt = <Row extends object>(
  url: string,
  statement: string
): Promise<ReadonlyArray<Row> | undefined> =>
  inSession(
    url,
    Effect.timeout(Effect.flatMap(PgClient.PgClient, (sql) => sql.unsafe<Row>(statement)), "2 seconds")
  ).catch(() => undefined)
