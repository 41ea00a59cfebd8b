/**
 * The PostgreSQL of a soak: the embedded server on a temporary folder, with one database after another, so that the size of a database
 * does not slow down the soak.
 */
import * as EmbeddedPostgres from "@dockline/sql-storage/embedded/EmbeddedPostgres"
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** Nothing here has to survive a crash. */
const settings = { fsync: "off", full_page_writes: "off", synchronous_commit: "off", max_connections: "50" }

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "dockline-soak-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

/** Starts PostgreSQL, and returns the URL of its own database. When the scope closes, it is stopped and its files are deleted. */
export const start = Effect.gen(function*() {
  const server = yield* EmbeddedPostgres.make({ directory: yield* folder, settings })
  return server.url
})

const admin = (url: Redacted.Redacted, statement: string) =>
  Effect.flatMap(PgClient.PgClient, (sql) => sql.unsafe(statement)).pipe(
    Effect.provide(PgClient.layer({ url }))
  )

/** Creates an empty database, which is dropped with the scope, and returns its URL. */
export const database = (server: Redacted.Redacted, name: string) =>
  Effect.acquireRelease(
    Effect.map(admin(server, `create database ${name}`), () => {
      const url = new URL(Redacted.value(server))
      url.pathname = `/${name}`
      return Redacted.make(url.href)
    }),
    () => Effect.ignore(admin(server, `drop database ${name} with (force)`))
  )
