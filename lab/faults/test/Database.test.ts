/** The harness's statements: one that a database refuses must not pass for one that was carried out. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { createServer } from "node:net"
import * as TestDatabase from "../../../test/support/TestDatabase.ts"
import { attempt, change, query } from "../src/system/Database.ts"

const migrated = Effect.map(TestDatabase.createMigrated, ({ url }) => Redacted.value(url))

describe("a statement of the harness", () => {
  it.live("fails if the database refuses it", () =>
    Effect.gen(function*() {
      const url = yield* migrated
      const failure = yield* Effect.promise(() =>
        attempt(url, "select nothing").then(() => undefined, String)
      )
      assert.include(failure ?? "nothing failed", "SqlError")
    }))

  it.live("has no result while the database is down", () =>
    Effect.gen(function*() {
      const url = yield* migrated
      const port = yield* Effect.promise(() =>
        new Promise<number>((resolve) => {
          const server = createServer()
          server.listen(0, "127.0.0.1", () => {
            const { port } = server.address() as { readonly port: number }
            server.close(() => resolve(port))
          })
        })
      )
      const away = Object.assign(new URL(url), { port: String(port) }).href
      assert.isUndefined(yield* Effect.promise(() => attempt(away, "select 1")))
    }))

  it.live("moves back times of all businesses, on one PostgreSQL and on a cluster", () =>
    Effect.gen(function*() {
      const url = yield* migrated
      const now = "2026-01-01 12:00:00+00"
      for (const business of [1, 2, 3, 4, 5]) {
        yield* Effect.promise(() =>
          query(
            url,
            `insert into dockline.webhook_delivery (business_id, endpoint_id, message_id, type, shipment_id, status, tries,
              next_attempt_at, attempts) values (${business}, 1, 1, 'PALLET_EVENT', 1, 'PENDING', 1, '${now}', '[]')`
          )
        )
      }
      yield* Effect.promise(() =>
        change(url, "webhook_delivery", "set next_attempt_at = next_attempt_at - interval '1 hour'")
      )
      const rows = yield* Effect.promise(() =>
        query<{ readonly at: string }>(
          url,
          "select (next_attempt_at at time zone 'UTC')::text as at from dockline.webhook_delivery"
        )
      )
      assert.deepStrictEqual(rows.map(({ at }) => at), Array(5).fill("2026-01-01 11:00:00"))
      const failure = yield* Effect.promise(() =>
        change(url, "webhook_delivery", "set nothing = 1").then(() => undefined, String)
      )
      assert.include(failure ?? "nothing failed", "SqlError")
    }))
})
