import { Directory } from "@dockline/core/Directory"
import { ShipmentStore } from "@dockline/core/ShipmentStore"
import * as Database from "@dockline/sql-storage/Database"
import * as Migrations from "@dockline/sql-storage/Migrations"
import * as Sql from "@dockline/sql-storage/Sql"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Redacted, Schedule } from "effect"
import { connect, createServer } from "node:net"
import type { AddressInfo, Socket } from "node:net"
import * as TestDatabase from "../../../test/support/TestDatabase.ts"

/** A way to the database that can stop forwarding without closing anything. */
class Way extends Context.Service<Way, { silent: boolean }>()("test/SilentWay") {}

const environment = Layer.unwrap(Effect.gen(function*() {
  const { url } = yield* TestDatabase.create
  const detour = new URL(Redacted.value(url))
  const target = { host: detour.hostname, port: Number(detour.port) }
  const way = { silent: false }
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(target)
    for (const [socket, other] of [[near, far], [far, near]] as const) {
      sockets.add(socket)
      socket.on("error", () => {})
      socket.on("close", () => other.destroy())
      socket.on("data", (chunk) => {
        if (!way.silent) other.write(chunk)
      })
    }
  })
  yield* Effect.callback<void>((resume) => {
    server.listen(0, "127.0.0.1", () => resume(Effect.void))
  })
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      sockets.forEach((socket) => socket.destroy())
      server.close()
    })
  )
  detour.port = String((server.address() as AddressInfo).port)
  const database = Database.layer({
    ...Database.defaultDatabaseConfig,
    statementTimeoutMillis: 500,
    url: Redacted.make(detour.href)
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
        yield* Database.ping
        yield* shipments.find(1)
        way.silent = true
        const since = Date.now()
        assert.strictEqual((yield* Effect.flip(Database.ping))._tag, "StorageUnavailable")
        assert.isBelow(Date.now() - since, 2500)
        const failures = yield* Effect.all([
          Effect.flip(shipments.find(1)),
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
        yield* retry(Database.ping)
        yield* retry(directory.put([]))
        yield* retry(shipments.find(1))
        assert.isBelow(Date.now() - back, 10_000)
      }),
    30_000
  )
})
