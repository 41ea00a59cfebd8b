/** What the harness itself asks a database, past everything that goes wrong. */
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"

/** Does something in a session of its own. */
export const inSession = <A, E>(url: string, work: Effect.Effect<A, E, PgClient.PgClient>) =>
  work.pipe(
    Effect.provide(
      PgClient.layer({ url: Redacted.make(url), maxConnections: 1, applicationName: "faults" })
    ),
    Effect.scoped
  )

const run = <Row extends object>(url: string, statement: string) =>
  inSession(url, Effect.flatMap(PgClient.PgClient, (sql) => sql.unsafe<Row>(statement)))

/** Runs statements. */
export const query = <Row extends object>(url: string, statement: string): Promise<ReadonlyArray<Row>> =>
  Effect.runPromise(run<Row>(url, statement))

/** How long statements may take that are tried, in milliseconds. */
const patienceMillis = 2000

/** Runs statements; `undefined` when the database is away. */
export const attempt = <Row extends object>(
  url: string,
  statement: string
): Promise<ReadonlyArray<Row> | undefined> =>
  Effect.runPromise(
    run<Row>(url, statement).pipe(
      Effect.timeout(patienceMillis),
      Effect.catch(() => Effect.succeed(undefined))
    )
  )
