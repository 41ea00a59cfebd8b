import type { Pallets } from "@dockline/core/movement/Pallets"
import type { Shipments } from "@dockline/core/movement/Shipments"
import * as Timestamp from "@dockline/core/values/Timestamp"
import { recently } from "@dockline/testing/generators/Given"
import { assert, describe } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { over } from "../../../test/support/Tests.ts"
import { aBusiness, atOnce, holding, lockWaiters, services, statements, times } from "./Movements.ts"

over(services)("shipments in motion at once on PostgreSQL", (test) => {
  describe("D6.1 exactly once", () => {
    test("a repeat waits for the first report, and finds what it recorded", function*() {
      const acme = yield* aBusiness
      yield* acme.submit("S1", "O1", "L1")
      const first = yield* holding(acme.record({ eventId: "E", lpn: "L1" }))
      let second: typeof first.value | undefined
      const sender = yield* Effect.forkChild(statements(
        Effect.tap(
          acme.record({ eventId: "E", lpn: "L1" }),
          (result) => Effect.sync(() => (second = result))
        )
      ))
      yield* lockWaiters(1)
      yield* first.commit
      // BEGIN, the load and ROLLBACK of a batch that does not wait, and then a load that does.
      assert.strictEqual(yield* Fiber.join(sender), 4, "it is not repeated after a conflict")
      assert.deepStrictEqual(second, { answer: first.value.answer, repeated: true })
    })
  })

  describe("the log of a business that somebody holds for longer than a batch waits", () => {
    test("delays its events and those of no other business, and they are recorded when it is free", function*() {
      const [acme, globex] = [yield* aBusiness, yield* aBusiness]
      const sql = yield* SqlClient.SqlClient
      for (const each of [acme, globex]) {
        yield* each.submit("S1", "O1", "L1")
        yield* each.record({ eventId: "E0", lpn: "L1" })
      }
      const log = yield* holding(
        sql`select from dockline.message_log where business_id = ${acme.id}::bigint for no key update`
      )
      const waiting = yield* Effect.forkChild(acme.record({ eventId: "E1", lpn: "L1" }))
      yield* lockWaiters(1)
      yield* Effect.sleep("400 millis")
      yield* globex.record({ eventId: "E1", lpn: "L1" })
      yield* lockWaiters(1)
      yield* log.commit
      assert.isFalse((yield* Fiber.join(waiting)).repeated)
      assert.strictEqual((yield* acme.messages).length, 2)
    })
  })

  describe("D21.1 the time of a message", () => {
    test("that waited for its shipment is when it was written, so that who reads by the clock misses none", function*() {
      const acme = yield* aBusiness
      const sql = yield* SqlClient.SqlClient
      const { id } = yield* acme.submit("S1", "O1", "L1")
      const source = yield* acme.submit("S2", "O2")
      yield* acme.arrive(source.id)
      for (
        const [shipment, write] of [[id, Effect.asVoid(acme.record({ eventId: "E1", lpn: "L1" }))], [
          source.id,
          acme.depart(source.id)
        ]] as const
      ) {
        const row = yield* holding(
          sql`select from dockline.shipment where business_id = ${acme.id}::bigint and id = ${shipment}::bigint
            for no key update`
        )
        const waiting = yield* Effect.forkChild(
          Effect.suspend((): Effect.Effect<void, unknown, Pallets | Shipments> => write)
        )
        yield* lockWaiters(1)
        // Whoever reads by the time of the wall clock has read up to here.
        const [clock] = yield* sql<{ read: string }>`select dockline.rfc3339(clock_timestamp()) as read`
        const before = (yield* acme.messages).length
        yield* row.commit
        yield* Fiber.join(waiting)
        const later = (yield* acme.messages).slice(before)
        assert.isNotEmpty(later)
        for (const { sentAt } of later) assert.isAtLeast(Date.parse(sentAt), Date.parse(clock!.read))
      }
    })
  })

  describe("D7.2 ids become visible in their order", () => {
    test("a departure that has its id and not its row yet is waited for by the next one", function*() {
      const acme = yield* aBusiness
      const sql = yield* SqlClient.SqlClient
      const ids: Array<number> = []
      for (const n of times(3)) ids.push((yield* acme.submit(`S${n}`, `O${n}`)).id)
      for (const id of ids) yield* acme.arrive(id)
      // The log is there.
      yield* acme.depart(ids[0]!)
      // Whoever draws the next id waits to write its row.
      const row = yield* holding(
        sql`insert into dockline.message (business_id, id, facility_id, facility, type, shipment_id, sent_at, size, payload)
            select id, nextval('dockline.message_id') + 1, 0, '', '', 0, now(), 0, '{}' from dockline.business
            where slug = ${acme.slug}`
      )
      const first = yield* Effect.forkChild(acme.depart(ids[1]!))
      yield* lockWaiters(1)
      const second = yield* Effect.forkChild(acme.depart(ids[2]!))
      yield* Effect.raceFirst(Fiber.await(second), lockWaiters(2))
      assert.strictEqual((yield* acme.messages).length, 1)
      yield* row.rollback
      yield* Fiber.join(first)
      yield* Fiber.join(second)
      assert.deepStrictEqual((yield* acme.messages).map(({ shipmentId }) => shipmentId), ids)
    })
  })

  describe("D6.2 what concerns one shipment comes one after another", () => {
    test("a shipment that departs while a pallet of later waits for it gives it to the one before it at the dock, and keeps those of before", function*() {
      const acme = yield* aBusiness
      const before = yield* acme.submit("S1", "O1")
      const last = yield* acme.submit("S2", "O2")
      yield* acme.arrive(before.id, "D1", recently("10:00:00Z"))
      yield* acme.arrive(last.id, "D1", recently("11:00:00Z"))
      const departure = yield* holding(acme.depart(last.id))
      const occurredAt = Timestamp.fromMillis(Date.now() + 200_000)
      const pallet = yield* Effect.forkChild(acme.record({ eventId: "E", occurredAt }))
      yield* lockWaiters(1)
      yield* departure.commit
      const { answer } = yield* Fiber.join(pallet)
      assert.deepStrictEqual([answer.serviceShipmentId, answer.orders], [String(before.id), ["O1"]])
      const { answer: late } = yield* acme.record({ eventId: "F" })
      assert.deepStrictEqual([late.serviceShipmentId, late.verdict.late], [String(last.id), true])
    })
  })

  describe("D3.3 intake and arrival of one shipment come one after another", () => {
    test("an order that a document is moving away takes its pallet along", function*() {
      const acme = yield* aBusiness
      const old = yield* acme.submit("OLD", "O1", "L1")
      const document = yield* holding(acme.submit("NEW", "O1"))
      const pallet = yield* Effect.forkChild(acme.record({ eventId: "E", lpn: "L1" }))
      yield* lockWaiters(1)
      yield* document.commit
      const { answer } = yield* Fiber.join(pallet)
      assert.deepStrictEqual([answer.serviceShipmentId, answer.orders], [String(document.value.id), ["O1"]])
      assert.strictEqual((yield* acme.shipment(old.id)).status, "SCHEDULED")
    })

    test("an order whose shipment is arriving is not moved away", function*() {
      const acme = yield* aBusiness
      const old = yield* acme.submit("OLD", "O1", "L1")
      const pallet = yield* holding(acme.record({ eventId: "E", lpn: "L1" }))
      const document = yield* Effect.forkChild(acme.submit("NEW", "O1"))
      yield* lockWaiters(1)
      yield* pallet.commit
      const target = yield* Fiber.join(document)
      const origin = yield* acme.shipment(old.id)
      assert.deepStrictEqual([origin.status, origin.orders.length], ["ARRIVED", 1])
      assert.notStrictEqual(target.orders[0]!.id, origin.orders[0]!.id)
    })

    test("an order whose shipment is being linked is not moved away", function*() {
      const acme = yield* aBusiness
      const [old, other] = [yield* acme.submit("OLD", "O1"), yield* acme.submit("OTHER", "O2")]
      const link = yield* holding(acme.link(old.id, other.id))
      const document = yield* Effect.forkChild(acme.submit("NEW", "O1"))
      yield* lockWaiters(1)
      yield* link.commit
      assert.notStrictEqual((yield* Fiber.join(document)).orders[0]!.id, old.orders[0]!.id)
      assert.strictEqual((yield* acme.shipment(old.id)).orders.length, 1)
    })
  })

  describe("locks", () => {
    test("a link locks the shipment of the lower id first, as documents do", function*() {
      const acme = yield* aBusiness
      const sql = yield* SqlClient.SqlClient
      const [one, two] = [yield* acme.submit("S1", "O1"), yield* acme.submit("S2", "O2")]
      const lock = (id: number) =>
        sql`select from dockline.shipment where business_id = ${acme.id}::bigint and id = ${id}::bigint for update nowait`
      const lower = yield* holding(lock(one.id))
      const link = yield* Effect.forkChild(acme.link(two.id, one.id))
      yield* lockWaiters(1)
      assert.strictEqual(
        (yield* Effect.result(lock(two.id)))._tag,
        "Success",
        "it holds the other one already"
      )
      yield* lower.commit
      assert.strictEqual((yield* Fiber.join(link)).id, two.id)
    })

    test("documents, pallets, links and departures of the same shipments at once all get an answer", function*() {
      const acme = yield* aBusiness
      const ids: Array<number> = []
      for (const n of times(3)) ids.push((yield* acme.submit(`S${n}`, `O${n}`, `L${n}`)).id)
      const tagOf = Effect.match({
        onFailure: ({ _tag }: { readonly _tag: string }) => _tag,
        onSuccess: () => "ok"
      })
      const answers = yield* Effect.all(
        times(15).flatMap((n) => [
          tagOf(acme.submit(`S${(n + 1) % 3}`, `O${n % 3}`, `L${n % 3}`)),
          tagOf(acme.record({ eventId: `E${n}`, lpn: `L${n % 3}`, dockSlug: n % 2 === 0 ? "D1" : "D2" })),
          tagOf(acme.link(ids[n % 3]!, ids[(n + 1) % 3]!)),
          ...(n > 8 ? [tagOf(acme.depart(ids[n % 3]!))] : [])
        ]),
        atOnce
      )
      assert.notInclude(answers, "StorageUnavailable")
      const messages = yield* acme.messages
      assert.deepStrictEqual(
        messages.map(({ id }) => id),
        messages.map(({ id }) => id).toSorted((a, b) => a - b)
      )
    })
  })
})
