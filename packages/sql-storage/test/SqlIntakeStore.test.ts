import type { Principal } from "@dockline/core/Access"
import { Directory } from "@dockline/core/Directory"
import * as DocumentInput from "@dockline/core/DocumentInput"
import { Intake } from "@dockline/core/Intake"
import { ShipmentStore } from "@dockline/core/ShipmentStore"
import * as Sql from "@dockline/sql-storage/Sql"
import { assert, describe, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Tracer } from "effect"
import { SqlClient } from "effect/sql"
import * as TestDatabase from "../../../test/support/TestDatabase.ts"

const service = Intake.layer().pipe(Layer.provideMerge(Sql.layer), Layer.provideMerge(TestDatabase.layer))

const principal: Principal = {
  clientId: "client",
  grants: [{ business: "acme", facilities: "*", permissions: ["documents:write"] }]
}

const read = DocumentInput.reader()

const submit = Effect.fnUntraced(
  function*(document: Record<string, unknown>, options?: { readonly dryRun: boolean }) {
    const intake = yield* Intake
    const given = { business: "acme", facility: "east", direction: "OUTBOUND", ...document }
    return yield* intake.submit(yield* Effect.fromResult(read(given)), principal, options)
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

const counts = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(
    sql<Record<string, number>>`select (select count(*)::int from dockline.shipment) as shipments,
      (select count(*)::int from dockline.customer_order) as orders,
      (select count(*)::int from dockline.order_item) as items`,
    (rows) => rows[0]!
  ))

describe("concurrent documents (D3)", () => {
  for (const strategy of ["APPEND", "MERGE", "DELETE", "OVERWRITE"]) {
    layer(service)(strategy, (it) => {
      it.effect("50 identical first documents at once leave one shipment and one order", () =>
        Effect.gen(function*() {
          yield* setup
          const document = {
            orderNumber: "O-1",
            orderItemUpdateStrategy: strategy,
            items: [item("L-1"), item("L-2")]
          }
          const results = yield* Effect.all(
            Array.from({ length: 50 }, () => Effect.result(submit(document))),
            { concurrency: "unbounded" }
          )
          const creators = results.filter((result) =>
            result._tag === "Success" && result.success.created.some(({ type }) => type === "SHIPMENT")
          )
          assert.strictEqual(creators.length, 1)
          const failures = results.flatMap((result) => result._tag === "Failure" ? [result.failure._tag] : [])
          assert.deepStrictEqual(
            failures,
            strategy === "APPEND" ? Array.from({ length: 49 }, () => "DuplicateOrderItemKey") : []
          )
          assert.deepStrictEqual(yield* counts, {
            shipments: 1,
            orders: 1,
            items: strategy === "DELETE" ? 0 : 2
          })
        }))
    })
  }

  layer(service)("locks", (it) => {
    it.effect("documents that exchange orders between two shipments neither deadlock nor lose one", () =>
      Effect.gen(function*() {
        yield* setup
        const documents = Array.from({ length: 60 }, (_, index) => ({
          shipmentNumber: `S-${index % 3}`,
          orders: [{ orderNumber: `O-${index % 4}` }, { orderNumber: `O-${(index + 1) % 4}` }]
        }))
        yield* Effect.all(documents.map((document) => submit(document)), { concurrency: "unbounded" })
        const { orders, shipments } = yield* counts
        assert.deepStrictEqual({ orders, shipments }, { orders: 4, shipments: 3 })
      }))

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
        const doubled = yield* sql`select number from dockline.customer_order where number like 'M-%'
          group by number, shipment_id having count(*) > 1`
        assert.deepStrictEqual(doubled, [])
      }))
  })
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
        yield* sql`select from dockline.shipment where number = 'HOT-S' for update`
        yield* Deferred.succeed(locked, undefined)
        yield* Deferred.await(gate)
      })))
      yield* Deferred.await(locked)
      const waiting = yield* Effect.forkChild(Effect.all(
        Array.from({ length: 20 }, () => submit({ orderNumber: "HOT", shipmentNumber: "HOT-S" })),
        { concurrency: "unbounded" }
      ))
      yield* Effect.sleep("300 millis")
      const prompt = Effect.timeout("2 seconds")
      yield* prompt(sql`select 1`)
      assert.isNotNull(yield* prompt(store.find(shipment.id)))
      yield* prompt(submit({ orderNumber: "COLD", shipmentNumber: "COLD-S" }))
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(holder)
      assert.strictEqual((yield* Fiber.join(waiting)).length, 20)
    }))
})

layer(service)("SqlIntakeStore", (it) => {
  it.effect("texts of the longest kind are keys too, and differ in their last character", () =>
    Effect.gen(function*() {
      yield* setup
      // Random characters: PostgreSQL would compress a repeated one below the limit of an index row.
      const long = Array.from(
        { length: 1023 },
        (_, index) => String.fromCodePoint(0x10000 + ((index * 7919) % 60_000))
      )
        .join("")
      const document = (end: string) => ({
        orderNumber: `${long}${end}`,
        orderItemUpdateStrategy: "MERGE",
        items: [item(`${long}${end}`, { sku: `${long}${end}` })]
      })
      const first = yield* submit(document("1"))
      const second = yield* submit(document("2"))
      const repeated = yield* submit(document("1"))
      assert.notStrictEqual(first.shipment.id, second.shipment.id)
      assert.strictEqual(repeated.shipment.id, first.shipment.id)
      assert.deepStrictEqual(repeated.created, [])
      assert.strictEqual(repeated.shipment.orders[0]?.items[0]?.lpn, `${long}1`)
    }))

  it.effect("what a document says is what is read back, to the last field", () =>
    Effect.gen(function*() {
      yield* setup
      const answer = yield* submit({
        orderNumber: "FULL",
        shipmentNumber: "FULL-S",
        dockSlug: "D1",
        driverName: "Jo",
        carrier: "C",
        trailerNumber: "T",
        expectedArrivalAt: "0001-01-01T00:00:00.001Z",
        additionalFields: [{ name: "z", value: "1" }, { name: "a", value: "2" }],
        expectedQuantity: Number.MAX_SAFE_INTEGER,
        consigneeName: "Ünïcode \u{1F69A} \" ' \\ \n\t $1 ;--",
        items: [
          item("L", {
            quantity: 5e-324,
            weightPerUnit: 0.1,
            height: Number.MAX_SAFE_INTEGER,
            length: 1e-7,
            width: 123456.789,
            isDangerousGood: true,
            expirationDate: "0001-01-01",
            manufacturingDate: "9999-12-31",
            caseSerials: [{ id: "b", quantity: 2 }, { id: "a" }]
          })
        ]
      })
      const store = yield* ShipmentStore
      const stored = yield* store.find(answer.shipment.id)
      const read = yield* submit({ orderNumber: "FULL", shipmentNumber: "FULL-S" })
      assert.deepStrictEqual(read.shipment, answer.shipment)
      assert.deepStrictEqual(stored?.shipment.orders[0]?.items, answer.shipment.orders[0]?.items)
      assert.strictEqual(answer.shipment.orders[0]?.items[0]?.quantity, 5e-324)
      assert.strictEqual(answer.shipment.expectedArrivalAt, "0001-01-01T00:00:00.001Z")
    }))

  it.effect("D5.3 a dry run answers as the real run and writes nothing", () =>
    Effect.gen(function*() {
      yield* setup
      const document = { orderNumber: "DRY", items: [item("L")] }
      const before = yield* counts
      const dry = yield* submit(document, { dryRun: true })
      assert.deepStrictEqual(yield* counts, before)
      assert.deepStrictEqual(dry.created.map(({ id }) => id), ["", "", ""])
      const real = yield* submit(document)
      assert.deepStrictEqual(
        real.created.map(({ type, reference }) => ({ type, reference })),
        dry.created.map(({ type, reference }) => ({ type, reference }))
      )
    }))

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
      assert.strictEqual(yield* statements("SMALL", 1), 2)
      assert.strictEqual(yield* statements("LARGE", 2000), 2)
    }))
})
