import { Directory } from "@dockline/core/Directory"
import { ShipmentStore } from "@dockline/core/ShipmentStore"
import * as Database from "@dockline/sql-storage/Database"
import * as Migrations from "@dockline/sql-storage/Migrations"
import * as Sql from "@dockline/sql-storage/Sql"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Schedule } from "effect"
import * as TestDatabase from "../../../test/support/TestDatabase.ts"
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

layer(environment, { excludeTestServices: true })("a silent database", (it) => {
  it.effect(
    "ends every operation as unavailable, and works again after its return",
    () =>
      Effect.gen(function*() {
        const way = yield* Way
        const shipments = yield* ShipmentStore
        const directory = yield* Directory
        yield* Migrations.ping
        yield* shipments.find(1, [])
        way.silent = true
        const since = Date.now()
        assert.strictEqual((yield* Effect.flip(Migrations.ping))._tag, "StorageUnavailable")
        assert.isBelow(Date.now() - since, 2500)
        const failures = yield* Effect.all([
          Effect.flip(shipments.find(1, [])),
          Effect.flip(directory.put([])),
          Effect.flip(directory.lookup("acme", "east"))
        ], { concurrency: "unbounded" })
        assert.deepStrictEqual(
          failures.map(({ _tag }) => _tag),
          Array.from({ length: 3 }, () => "StorageUnavailable")
        )
        assert.isBelow(Date.now() - since, 9000)
        way.silent = false
        const back = Date.now()
        const retry = Effect.retry(Schedule.spaced("100 millis"))
        yield* retry(Migrations.ping)
        yield* retry(directory.put([]))
        yield* retry(shipments.find(1, []))
        assert.isBelow(Date.now() - back, 10_000)
      }),
    30_000
  )
})
