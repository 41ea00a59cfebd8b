/**
 * A server of an older version with a database that a newer one has changed: it runs as long as the newer version has only added to the
 * schema; otherwise it does not start, and a running one reports that it is not ready.
 */
import * as Database from "@dockline/sql-storage/connections/Database"
import { newest } from "@dockline/sql-storage/schema/Migrations"
import { Effect, Exit, Redacted, Scope } from "effect"
import { afterEach, assert, beforeEach, it } from "vitest"
import * as ServerProcess from "../support/ServerProcess.ts"
import * as TestDatabase from "../support/TestDatabase.ts"

let scope: Scope.Closeable
let url: Redacted.Redacted
let running: Array<ServerProcess.ServerProcess>

beforeEach(async () => {
  scope = Scope.makeUnsafe()
  running = []
  url = (await Effect.runPromise(Scope.provide(TestDatabase.create, scope))).url
})

afterEach(async () => {
  for (const { child, ended } of running) {
    child.kill("SIGKILL")
    await ended
  }
  await Effect.runPromise(Scope.close(scope, Exit.void))
})

/** The traces of a newer version. */
const upgrade = (oldestServed: number) =>
  TestDatabase.migrateBeyond(oldestServed).pipe(
    Effect.provide(Database.layer({ ...Database.defaultDatabaseConfig, url })),
    Effect.runPromise
  )

const start = async () => {
  const server = await ServerProcess.start({ DATABASE_URL: Redacted.value(url) })
  running.push(server)
  return server
}

it("D12.3 a schema that a newer version extends serves an instance that runs, and one that starts; not so one that it takes from", async () => {
  const server = await ServerProcess.serve({ DATABASE_URL: Redacted.value(url) })
  running.push(server)
  assert.strictEqual((await fetch(`${server.baseUrl}/readyz`)).status, 200)
  await upgrade(newest)
  assert.strictEqual((await fetch(`${server.baseUrl}/readyz`)).status, 200)
  running.push(await ServerProcess.serve({ DATABASE_URL: Redacted.value(url) }))

  await upgrade(newest + 1)
  const unready = await fetch(`${server.baseUrl}/readyz`)
  assert.strictEqual(unready.status, 503)
  assert.isNotNull(unready.headers.get("retry-after"))
  assert.match(await unready.text(), /The schema of the database is newer than this instance/)
  assert.strictEqual((await fetch(`${server.baseUrl}/healthz`)).status, 200)

  const second = await start()
  assert.strictEqual(await second.ended, 1)
  assert.match(second.output(), /^dockline: A newer version of Dockline has changed the schema/)
  assert.include(second.output(), `it is number ${newest + 1}, and this version knows ${newest}`)
  assert.include(second.output(), "start the newer version, or restore the backup")
})
