import type { Principal } from "@dockline/core/Access"
import { Directory } from "@dockline/core/Directory"
import * as DocumentInput from "@dockline/core/DocumentInput"
import { Intake } from "@dockline/core/Intake"
import { ShipmentStore } from "@dockline/core/ShipmentStore"
import * as Sql from "@dockline/sql-storage/Sql"
import * as Suite from "@dockline/testing/Suite"
import { intakeStoreSuite } from "@dockline/testing/suites/intake/IntakeStoreSuite"
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Tracer } from "effect"
import { SqlClient } from "effect/sql"
import { runner } from "../../../../test/support/Runner.ts"
import * as TestDatabase from "../../../../test/support/TestDatabase.ts"
import { businessId } from "../../src/rows/BusinessId.ts"

const service = Intake.layer().pipe(Layer.provideMerge(Sql.layer), Layer.provideMerge(TestDatabase.layer))

const principal: Principal = {
  clientId: "client",
  grants: [{ business: "acme", facilities: "*", permissions: ["documents:write"] }]
}

const read = DocumentInput.reader()

const submit = Effect.fnUntraced(
  function*(document: Record<string, unknown>) {
    const intake = yield* Intake
    const given = { business: "acme", facility: "east", direction: "OUTBOUND", ...document }
    return yield* intake.submit(yield* Effect.fromResult(read(given)), principal)
  }
)

const item = (lpn: string, rest: Record<string, unknown> = {}) => ({
  lpn,
  sku: "S",
  quantity: 1,
  quantityUnit: "CASE",
  ...rest
})

const setup = Effect.flatMap(Directory, (directory) =>
  directory.put([{
    slug: "acme",
    name: "Acme",
    fieldMap: [],
    facilities: [{ slug: "east", name: "East", docks: ["D1"] }]
  }]))

// Two instances on one database: what one of them keeps in its process, the other does not know.
Suite.register(runner, intakeStoreSuite, Suite.alternating(Sql.layer), TestDatabase.layer)

layer(service)("the locks of many orders", (it) => {
  it.effect("a document of more orders than are locked one by one excludes the others too", () =>
    Effect.gen(function*() {
      yield* setup
      const many = Array.from(
        { length: 40 },
        (_, index) => ({ orderNumber: `M-${index}`, items: [item(`M-${index}`)] })
      )
      yield* Effect.all(
        Array.from({ length: 12 }, (_, index) =>
          index % 2 === 0
            ? submit({ shipmentNumber: "M", orders: many })
            : submit({ orderNumber: `M-${index}`, items: [item(`X-${index}`)] })),
        { concurrency: "unbounded" }
      )
      const sql = yield* SqlClient.SqlClient
      const orders = yield* sql`select number from dockline.customer_order where number like 'M-%'`
      assert.strictEqual(orders.length, 40)
      assert.strictEqual(new Set(orders.map(({ number }) => number)).size, 40)
    }))
})

layer(service, { excludeTestServices: true })("one hot number", (it) => {
  it.effect("leaves connections to reads and to documents of other numbers", () =>
    Effect.gen(function*() {
      yield* setup
      const { shipment } = yield* submit({ orderNumber: "HOT", shipmentNumber: "HOT-S" })
      const sql = yield* SqlClient.SqlClient
      const store = yield* ShipmentStore
      const locked = yield* Deferred.make<void>()
      const gate = yield* Deferred.make<void>()
      const holder = yield* Effect.forkChild(sql.withTransaction(Effect.gen(function*() {
        yield* sql`select from dockline.shipment
          where business_id = ${businessId("acme")}::bigint and number = 'HOT-S' for update`
        yield* Deferred.succeed(locked, undefined)
        yield* Deferred.await(gate)
      })))
      yield* Deferred.await(locked)
      const waiting = yield* Effect.forkChild(Effect.all(
        Array.from({ length: 20 }, () => submit({ orderNumber: "HOT", shipmentNumber: "HOT-S" })),
        { concurrency: "unbounded" }
      ))
      yield* Effect.sleep("300 millis")
      const prompt = Effect.timeout("30 seconds")
      yield* prompt(sql`select 1`)
      assert.isNotNull(yield* prompt(store.find(shipment.id, [])))
      yield* prompt(submit({ orderNumber: "COLD", shipmentNumber: "COLD-S" }))
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(holder)
      assert.strictEqual((yield* Fiber.join(waiting)).length, 20)
    }))
})

layer(service)("SqlIntakeStore", (it) => {
  it.effect("a document costs the same number of statements whatever its number of items", () =>
    Effect.gen(function*() {
      yield* setup
      const statements = Effect.fnUntraced(function*(name: string, size: number) {
        const spans: Array<string> = []
        const tracer = Tracer.make({
          span: (options) => {
            if (options.kind === "client") spans.push(options.name)
            return new Tracer.NativeSpan(options)
          }
        })
        const items = Array.from({ length: size }, (_, index) => item(`L-${index}`))
        yield* submit({ orderNumber: name, items }).pipe(Effect.provideService(Tracer.Tracer, tracer))
        return spans.length
      })
      // Whether the database is a cluster is found out once.
      yield* statements("FIRST", 1)
      // With the BEGIN and COMMIT of its batch, which are sent with the other two.
      assert.strictEqual(yield* statements("SMALL", 1), 4)
      assert.strictEqual(yield* statements("LARGE", 1000), 4)
      assert.strictEqual(yield* statements("ALONE", 2000), 2)
    }))
})
