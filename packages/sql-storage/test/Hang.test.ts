import { Directory } from "@dockline/core/places/Place"
import { ShipmentStore } from "@dockline/core/shipment/ShipmentStore"
import * as Database from "@dockline/sql-storage/connections/Database"
import * as Migrations from "@dockline/sql-storage/schema/Migrations"
import * as Sql from "@dockline/sql-storage/Sql"
import { assert } from "@effect/vitest"
import { Context, Effect, Layer, Schedule } from "effect"
import * as TestDatabase from "../../../test/support/TestDatabase.ts"
import { over } from "../../../test/support/Tests.ts"
import { silentWay } from "./SilentWay.ts"

/** A way to the database that can stop forwarding without closing anything. */
class Way extends Context.Service<Way, { silent: boolean }>()("test/SilentWay") {}

const environment = Layer.unwrap(Effect.gen(function*() {
  const { url } = yield* TestDatabase.create
  const way = { silent: false }
  const detour = yield* silentWay(url, () => way.silent)
  const database = Database.layer({
    ...Database.defaultDatabaseConfig,
    statementTimeoutMillis: 500,
    url: detour.url
  })
  return Sql.layer.pipe(
    Layer.provideMerge(Migrations.layer),
    Layer.provideMerge(database),
    Layer.provideMerge(Layer.succeed(Way, way))
  )
}))

over(environment)("a silent database", (test) => {
  test("ends every operation as unavailable, a ping first, and works again after its return", function*() {
    const way = yield* Way
    const shipments = yield* ShipmentStore
    const directory = yield* Directory
    yield* Migrations.ping
    yield* shipments.find(1, [])
    way.silent = true
    const ended: Array<string> = []
    const failing = <A, E extends { readonly _tag: string }, R>(
      name: string,
      operation: Effect.Effect<A, E, R>
    ) =>
      Effect.map(Effect.flip(operation), ({ _tag }) => {
        ended.push(name)
        return _tag
      })
    const failures = yield* Effect.all([
      failing("find", shipments.find(1, [])),
      failing("put", directory.put([])),
      failing("lookup", directory.lookup("acme", "east")),
      failing("ping", Migrations.ping)
    ], { concurrency: "unbounded" })
    assert.deepStrictEqual(failures, Array.from({ length: 4 }, () => "StorageUnavailable"))
    assert.strictEqual(ended[0], "ping")
    way.silent = false
    const retry = Effect.retry(Schedule.spaced("100 millis"))
    yield* retry(Migrations.ping)
    yield* retry(directory.put([]))
    yield* retry(shipments.find(1, []))
  })
})
