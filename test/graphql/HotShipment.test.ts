/**
 * Writes with an `Idempotency-Key` for one shipment that is held, over REST and GraphQL: others are served meanwhile, and
 * those that wait are 503 with `Retry-After` in time. Judged by the order of events: the shipment is held all along.
 */
import * as Database from "@dockline/sql-storage/Database"
import * as Migrations from "@dockline/sql-storage/Migrations"
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Latch, Layer } from "effect"
import { GraphqlServer, layerSql } from "../support/GraphqlServer.ts"
import * as TestDatabase from "../support/TestDatabase.ts"
import { TestServer } from "../support/TestServer.ts"
import { departShipment, document, submit } from "./Sample.ts"

const environment = layerSql().pipe(
  Layer.provideMerge(Migrations.layer),
  Layer.provideMerge(
    Layer.unwrap(Effect.map(TestDatabase.createMigrated, ({ url }) =>
      Database.layer({
        ...Database.defaultDatabaseConfig,
        url,
        lockTimeoutMillis: 25_000,
        waitMillis: 2000
      })))
  )
)

let keys = 0
const withKey = () => ({ "idempotency-key": `hot-${++keys}`, "content-type": "application/json" })

layer(environment, { excludeTestServices: true })("writes with a key for a shipment that is held", (it) => {
  for (const kind of ["documents", "steps"] as const) {
    // @threat load.12
    it.effect(
      `${kind}: the others are served, and those that wait are 503 with Retry-After`,
      () =>
        Effect.scoped(Effect.gen(function*() {
          const server = yield* TestServer
          const graphql = yield* GraphqlServer
          const number = `HOT-${kind}`
          const { shipment } = yield* server.submit(document(number))
          const sent = (operation: unknown, client?: "tower") =>
            graphql.fetch({ method: "POST", headers: withKey(), body: JSON.stringify(operation) }, client)
          const rest = () =>
            Effect.map(
              kind === "documents"
                ? server.post(document(number), { headers: withKey() })
                : server.request("POST", `/v1/shipments/${shipment.id}/depart`, {
                  client: "tower",
                  headers: withKey(),
                  body: "{}"
                }),
              ({ headers, status }) =>
                status === 503 && headers["retry-after"] !== undefined ? "503" : `${status}`
            )
          const graph = () =>
            Effect.map(
              kind === "documents"
                ? sent(submit(document(number)))
                : sent(departShipment({ shipmentId: shipment.id }), "tower"),
              ({ errors }) => errors?.[0]?.extensions["reason"] === "STORAGE_UNAVAILABLE" ? "503" : "answered"
            )
          const { release, waiting } = yield* server.hold(number)
          const given: Array<string> = []
          const all = yield* Latch.make(false)
          const hot = yield* Effect.forkChild(Effect.forEach(
            Array.from({ length: 20 }, (_, index) => index % 2 === 0 ? rest() : graph()),
            Effect.map((answer) => {
              if (given.push(answer) === 19) all.openUnsafe()
            }),
            { concurrency: "unbounded" }
          ))
          yield* waiting
          const others = [
            yield* server.post(document(`${number}-1`)),
            yield* server.post(document(`${number}-2`), { headers: withKey() }),
            yield* server.post(
              { ...document(`${number}-3`), business: "globex", facility: "main" },
              { client: "globex-client", headers: withKey() }
            )
          ]
          assert.deepStrictEqual(others.map(({ status }) => status), [201, 201, 201])
          assert.isUndefined((yield* sent(submit(document(`${number}-4`)))).errors)
          yield* all.await
          assert.deepStrictEqual(given, Array.from({ length: 19 }, () => "503"))
          yield* release
          yield* Fiber.join(hot)
          assert.strictEqual(given.length, 20)
        })),
      60_000
    )
  }
})
