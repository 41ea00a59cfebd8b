/** What the processes that tests of the embedded PostgreSQL start are made of; bundled, as loading it takes most of their time. */
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import { type EmbeddedPostgres, make } from "../../src/embedded/EmbeddedPostgres.ts"

export * as NodeRuntime from "@effect/platform-node/NodeRuntime"
export { Effect, PgClient, Reactivity }

/** Writes a line that the test reads. */
export const say = (value: unknown) => Effect.sync(() => process.stdout.write(`${JSON.stringify(value)}\n`))

/** Starts PostgreSQL on the folder that is the first argument, and says why when it does not start. */
export const start = Effect.suspend(() => make({ directory: process.argv[1]! })).pipe(
  Effect.tapError((error) => say({ refused: error.reason, pid: error.pid, message: error.message }))
)

/** Says where PostgreSQL is. */
export const up = (pg: EmbeddedPostgres) =>
  say({ up: { pid: pg.pid, port: pg.port, url: Redacted.value(pg.url) } })
