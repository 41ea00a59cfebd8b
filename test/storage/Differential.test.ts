/** One random history on memory and on PostgreSQL: every answer and every state the same, but for ids. */
import type { Principal } from "@dockline/core/Access"
import { Directory } from "@dockline/core/Directory"
import type { Document } from "@dockline/core/Document"
import { Intake } from "@dockline/core/Intake"
import * as Memory from "@dockline/core/Memory"
import { ShipmentStore } from "@dockline/core/ShipmentStore"
import { shipmentView } from "@dockline/core/View"
import type { IntakeResult, ShipmentView } from "@dockline/core/View"
import * as Sql from "@dockline/sql-storage/Sql"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, ManagedRuntime } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { afterAll } from "vitest"
import { histories, rawDocuments, runs } from "../../packages/core/test/Arbitraries.ts"
import { read } from "../../packages/core/test/Reading.ts"
import * as TestDatabase from "../support/TestDatabase.ts"

const principal: Principal = {
  clientId: "client",
  grants: [{ business: "acme", facilities: "*", permissions: ["documents:write"] }]
}

const places = Effect.flatMap(Directory, (directory) =>
  directory.put([{
    slug: "acme",
    name: "Acme",
    fieldMap: [],
    facilities: [
      { slug: "east", name: "East", docks: ["D1", "D2"] },
      { slug: "west", name: "West", docks: ["D1"] }
    ]
  }]))

/** Ids as numbers in the order in which they were first seen, each kind for itself. */
const idNames = () => {
  const names = new Map<string, string>()
  return (kind: string, id: string | number): string => {
    if (id === "" || id === 0) return "none"
    const key = `${kind} ${id}`
    const name = names.get(key) ?? `${kind} #${names.size}`
    names.set(key, name)
    return name
  }
}

type IdName = ReturnType<typeof idNames>

const nameShipment = (shipment: ShipmentView, name: IdName) => ({
  ...shipment,
  id: name("SHIPMENT", shipment.id),
  dockId: name("DOCK", shipment.dockId),
  orders: shipment.orders.map((order) => ({
    ...order,
    id: name("ORDER", order.id),
    items: order.items.map((item) => ({ ...item, id: name("ORDER_ITEM", item.id) }))
  }))
})

const nameAnswer = ({ created, updated, removed, shipment }: IntakeResult, name: IdName) => {
  const references = (list: IntakeResult["created"]) =>
    list.map(({ type, id, reference }) => [name(type, id), reference])
  return {
    created: references(created),
    updated: references(updated),
    removed: references(removed),
    shipment: nameShipment(shipment, name)
  }
}

const state = (name: IdName) =>
  Effect.gen(function*() {
    const store = yield* ShipmentStore
    const none = { business: undefined, facility: undefined, shipmentNumber: undefined, status: undefined }
    const { items } = yield* store.listShipments([{ business: "acme", facilities: "*" }], none, {
      limit: 1000,
      after: 0
    })
    return items.map(({ shipment, location }) => nameShipment(shipmentView(shipment, location), name))
  })

/** Everything that can be observed of a history: each answer or refusal, dry runs too, and the state at the end. */
const observe = (documents: ReadonlyArray<Document>) =>
  Effect.gen(function*() {
    yield* places
    const intake = yield* Intake
    const name = idNames()
    const answers: Array<unknown> = []
    for (const document of documents) {
      yield* TestClock.adjust("1 minute")
      for (const dryRun of [true, false]) {
        const result = yield* Effect.result(intake.submit(document, principal, { dryRun }))
        answers.push(result._tag === "Success" ? nameAnswer(result.success, name) : result.failure)
      }
    }
    return { answers, state: yield* state(name) }
  }).pipe(Effect.provide(TestClock.layer()))

const memory = Intake.layer().pipe(Layer.provideMerge(Memory.layer))

const postgres = ManagedRuntime.make(
  Intake.layer().pipe(Layer.provideMerge(Sql.layer), Layer.provideMerge(TestDatabase.layer))
)
afterAll(() => postgres.dispose())

const emptyTables = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`truncate dockline.shipment cascade`)

const submissions = histories.map((steps) => steps.map(({ document }) => document))

describe("memory and PostgreSQL", () => {
  it.each([
    ["histories of a facility", submissions, 60],
    ["long histories", fc.array(rawDocuments.map((raw) => read(raw)), { minLength: 20, maxLength: 50 }), 12]
  ])("%s give the same answers and end in the same state", (_, arbitrary, count) =>
    fc.assert(
      fc.asyncProperty(arbitrary, async (documents) => {
        const inMemory = await Effect.runPromise(observe(documents).pipe(Effect.provide(memory)))
        const onPostgres = await postgres.runPromise(Effect.andThen(emptyTables, observe(documents)))
        assert.deepStrictEqual(onPostgres, inMemory)
      }),
      runs(count)
    ), 120_000)
})
