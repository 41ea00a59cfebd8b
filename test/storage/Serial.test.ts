/** Random documents at once on PostgreSQL: the state and the answers are those of some serial order. */
import type { Principal } from "@dockline/core/Access"
import { Directory } from "@dockline/core/Directory"
import { Intake } from "@dockline/core/Intake"
import { ShipmentStore } from "@dockline/core/ShipmentStore"
import { documents, runs } from "@dockline/core/testing/Generators"
import { answerOf, explainable } from "@dockline/core/testing/Serial"
import * as Sql from "@dockline/sql-storage/Sql"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, ManagedRuntime } from "effect"
import { SqlClient } from "effect/sql"
import * as fc from "fast-check"
import { afterAll } from "vitest"
import * as TestDatabase from "../support/TestDatabase.ts"

const principal: Principal = {
  clientId: "client",
  grants: [{ business: "acme", facilities: "*", permissions: ["documents:write"] }]
}

const acme = { slug: "acme", name: "Acme" }
const east = { slug: "east", name: "East" }

const postgres = ManagedRuntime.make(
  Intake.layer().pipe(Layer.provideMerge(Sql.layer), Layer.provideMerge(TestDatabase.layer))
)
afterAll(() => postgres.dispose())

const reset = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const directory = yield* Directory
  yield* sql`truncate dockline.shipment cascade`
  yield* directory.put([{ ...acme, fieldMap: [], facilities: [{ ...east, docks: ["D1", "D2"] }] }])
})

const world = Effect.gen(function*() {
  const store = yield* ShipmentStore
  const none = { business: undefined, facility: undefined, shipmentNumber: undefined, status: undefined }
  const scopes = [{ business: "acme", facilities: "*" as const }]
  const { items } = yield* store.listShipments(scopes, none, { limit: 1000, after: 0 })
  return items.map(({ shipment }) => shipment)
})

const atEast = documents.map((document) => ({ ...document, facility: "east" }))
const onOneOrder = atEast.map((document) => ({
  ...document,
  orders: [{ ...document.orders[0]!, orderNumber: "O1" }]
}))

describe("D3 concurrent documents on PostgreSQL behave as if they came one after another", () => {
  it.each([["on one order", onOneOrder], ["on the orders of a facility", atEast]] as const)(
    "random documents at once %s end in a state, and get answers, that some serial order explains",
    (_, arbitrary) =>
      fc.assert(
        fc.asyncProperty(
          fc.array(arbitrary, { maxLength: 3 }),
          fc.array(arbitrary, { minLength: 2, maxLength: 5 }),
          async (before, atOnce) => {
            const outcome = await postgres.runPromise(Effect.gen(function*() {
              yield* reset
              const intake = yield* Intake
              for (const document of before) yield* Effect.ignore(intake.submit(document, principal))
              const shipments = yield* world
              const answers = yield* Effect.all(
                atOnce.map((document) =>
                  Effect.match(intake.submit(document, principal), {
                    onSuccess: answerOf,
                    onFailure: ({ code }) => code
                  })
                ),
                { concurrency: "unbounded" }
              )
              return {
                initial: { business: acme, facility: east, docks: ["D1", "D2"], shipments },
                answers,
                final: yield* world
              }
            }))
            assert.isTrue(explainable(outcome.initial, atOnce, outcome.final, outcome.answers))
          }
        ),
        runs(40)
      ),
    120_000
  )
})
