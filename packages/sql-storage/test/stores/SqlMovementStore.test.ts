import type { Label } from "@dockline/core/MessageField"
import { MessageLog, MessageLogConfig } from "@dockline/core/MessageLog"
import { Wakeups } from "@dockline/core/messages/FeedSource"
import type { PalletShipment } from "@dockline/core/Movement"
import { MovementStore } from "@dockline/core/MovementStore"
import type { RecordedPallet } from "@dockline/core/Pallet"
import type { Dock } from "@dockline/core/Shipment"
import { transaction } from "@dockline/sql-storage/connections/AfterCommit"
import { Announcer } from "@dockline/sql-storage/connections/Announcer"
import * as Sql from "@dockline/sql-storage/Sql"
import * as Suite from "@dockline/testing/Suite"
import { movementSuite } from "@dockline/testing/suites/movement/MovementSuite"
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Fiber, Layer, Result } from "effect"
import { SqlClient } from "effect/sql"
import { runner } from "../../../../test/support/Runner.ts"
import * as TestDatabase from "../../../../test/support/TestDatabase.ts"
import { businessId } from "../../src/rows/BusinessId.ts"
import {
  aBusiness,
  atOnce,
  holding,
  instance,
  lockWaiters,
  services,
  statements,
  times
} from "../Movements.ts"

Suite.register(runner, movementSuite, Suite.alternating(Sql.layer), TestDatabase.layer)

layer(services, { excludeTestServices: true })("SqlMovementStore", (it) => {
  describe("D7.3 consumers", () => {
    it.effect("are told after the transaction has committed, and not of one that is rolled back", () =>
      Effect.gen(function*() {
        const acme = yield* aBusiness
        const sql = yield* SqlClient.SqlClient
        yield* acme.submit("S1", "O1", "L1")
        const told: Array<string> = []
        const announce = (slug: string) => void told.push(slug)
        const listening = instance(Layer.succeed(Announcer, { announce, wakeups: new Wakeups() }))
        const record = (eventId: string) =>
          Effect.provide(acme.record({ eventId, lpn: "L1" }), listening, { local: true })
        yield* Effect.ignore(transaction(sql)(Effect.andThen(record("E1"), Effect.fail("no"))))
        assert.deepStrictEqual(told, [])
        yield* transaction(sql)(
          Effect.andThen(record("E1"), Effect.sync(() => assert.deepStrictEqual(told, [])))
        )
        assert.deepStrictEqual(told, [acme.slug])
        yield* record("E1")
        assert.deepStrictEqual(told, [acme.slug], "a repeat has nothing to tell")
      }))

    it.effect("learn of a pallet and of a completion without looking by themselves", () =>
      Effect.gen(function*() {
        const acme = yield* aBusiness
        const log = yield* MessageLog
        const { id } = yield* acme.submit("S1", "O1", "L1")
        const query = {
          business: acme.slug,
          facility: undefined,
          types: ["PALLET_EVENT", "SHIPMENT_COMPLETE"]
        } as const
        yield* Effect.scoped(Effect.gen(function*() {
          const follower = yield* log.follow(query, { afterId: undefined, buffer: 10 })
          const { answer } = yield* acme.record({ eventId: "E", lpn: "L1" })
          const first = yield* Effect.timeout(follower.next, "30 seconds")
          assert.deepStrictEqual(first.map((message) => message.id), [answer.messageId])
          yield* acme.depart(id)
          const second = yield* Effect.timeout(follower.next, "30 seconds")
          assert.deepStrictEqual(second.map(({ type }) => type), ["SHIPMENT_COMPLETE"])
        }))
      }).pipe(
        // Nobody looks by himself within the time of the test.
        Effect.provide(
          Layer.provide(
            Layer.fresh(services),
            Layer.succeed(MessageLogConfig, {
              retentionMillis: 86_400_000,
              pollMillis: 600_000,
              recentLimit: 10,
              pageTextLimit: 1_000_000
            })
          ),
          { local: true }
        )
      ))
  })

  describe("recording", () => {
    it.effect("ids, numbers and lpns of the longest kind are told apart by their last character", () =>
      Effect.gen(function*() {
        const acme = yield* aBusiness
        // Random characters: PostgreSQL would compress a repeated one below the limit of an index row.
        const long = times(1023).map((n) => String.fromCodePoint(0x10000 + ((n * 7919) % 60_000))).join("")
        const { id } = yield* acme.submit(`${long}1`, `${long}1`, `${long}1`, `${long}2`)
        const first = yield* acme.record({ eventId: `${long}1`, lpn: `${long}1` })
        const second = yield* acme.record({
          eventId: `${long}2`,
          lpn: `${long}2`,
          shipmentNumber: `${long}1`
        })
        const other = yield* Effect.flip(acme.record({ eventId: `${long}3`, shipmentNumber: `${long}3` }))
        assert.deepStrictEqual([first, second].map(({ answer }) => answer.serviceShipmentId), [
          String(id),
          String(id)
        ])
        assert.notStrictEqual(first.answer.servicePalletId, second.answer.servicePalletId)
        assert.deepStrictEqual(first.answer.orders, [`${long}1`])
        assert.strictEqual(other._tag, "ShipmentNotFound")
        assert.isTrue((yield* acme.record({ eventId: `${long}1`, lpn: `${long}1` })).repeated)
      }))

    it.effect("what was recorded is what the departure sees, to the last character", () =>
      Effect.gen(function*() {
        const acme = yield* aBusiness
        const store = yield* MovementStore
        const { id } = yield* acme.submit("S1", "O1", "L1")
        const labels = [{ name: "__proto__", value: "ä\u0001\"\\ \u{1F69A} ' $1 ;--\n" }, {
          name: "",
          value: ""
        }]
        const occurredAt = "0001-01-01T00:00:00.001Z"
        const one = yield* acme.record({ eventId: "E1", shipmentId: id, labels, occurredAt })
        const two = yield* acme.record({ eventId: "E2", lpn: "L1", direction: "UNLOADING", dockSlug: "D2" })
        let seen: ReadonlyArray<RecordedPallet> = []
        yield* store.step({ shipmentId: id, dockSlug: "", withPallets: true }, ({ pallets }) => {
          seen = pallets
          return Result.succeed({ _tag: "Unchanged" })
        })
        assert.deepStrictEqual(
          seen.map(({ dock, palletId, ...rest }) => ({ ...rest, dock: dock.slug, id: String(palletId) })),
          [
            {
              id: one.answer.servicePalletId,
              messageId: one.answer.messageId,
              direction: "LOADING",
              occurredAt,
              dock: "D1",
              orders: ["O1"],
              labels
            },
            {
              id: two.answer.servicePalletId,
              messageId: two.answer.messageId,
              direction: "UNLOADING",
              occurredAt: "2026-11-20T12:00:00.000Z",
              dock: "D2",
              orders: ["O1"],
              labels: [{ name: "lpn", value: "L1" }]
            }
          ]
        )
      }))

    it.effect("a pallet event, a repeat and a step are two statements at most, and the ends of an event's, whatever the shipment holds", () =>
      Effect.gen(function*() {
        const acme = yield* aBusiness
        const { id } = yield* acme.submit("S1", "O1", ...times(500).map((n) => `L${n}`))
        yield* Effect.all(times(50).map((n) => acme.record({ eventId: `E${n}`, lpn: `L${n}` })), {
          discard: true
        })
        assert.strictEqual(yield* statements(acme.record({ eventId: "new", lpn: "L99" })), 4)
        assert.strictEqual(yield* statements(acme.record({ eventId: "new", lpn: "L99" })), 3)
        assert.strictEqual(yield* statements(acme.depart(id)), 2)
        assert.strictEqual(yield* statements(acme.depart(id)), 1)
      }))

    it.effect("the snapshot counts what the shipment has taken, and knows its pallets and orders", () =>
      Effect.gen(function*() {
        const acme = yield* aBusiness
        const store = yield* MovementStore
        const sql = yield* SqlClient.SqlClient
        const { id } = yield* acme.submit("S1", "O1", "L1", "L2")
        const known = yield* acme.record({ eventId: "E1", lpn: "L1" })
        yield* acme.record({ eventId: "E2", lpn: "L1", direction: "UNLOADING" })
        yield* acme.submit("S1", "O2", "L2")
        const seen = Effect.fnUntraced(function*(labels: ReadonlyArray<Label>) {
          const snapshots: Array<PalletShipment | null> = []
          yield* Effect.flip(store.recordPallet(
            {
              eventId: "E3",
              business: acme.slug,
              facility: "east",
              dockSlug: "D1",
              direction: "LOADING",
              occurredAt: "2026-11-20T12:00:00.000Z",
              shipmentId: id,
              shipmentNumber: "",
              labels
            },
            "text",
            ({ given }) => {
              snapshots.push(given)
              return Result.fail("seen")
            }
          ))
          return snapshots
        })
        // Labels "lpn" and "L1" and the order "O1", twice.
        const taken = {
          id,
          number: "S1",
          status: "ARRIVED" as const,
          events: 2,
          labelText: 14,
          onlyOrder: null,
          orders: [],
          direction: "OUTBOUND",
          elsewhere: null
        }
        const [{ dock } = { dock: null }] = yield* sql<
          { readonly dock: Dock }
        >`select json_build_object('id', dock_id, 'slug', 'D1') as dock from dockline.shipment where id = ${id}::bigint`
        const at = "2026-11-20T12:00:00.000Z"
        const sighted = {
          first: "LOADING" as const,
          firstSeenAt: at,
          last: "UNLOADING" as const,
          lastSeenAt: at,
          dockId: dock!.id
        }
        const palletId = Number(known.answer.servicePalletId)
        assert.deepStrictEqual(yield* seen([{ name: "lpn", value: "L1" }]), [
          { ...taken, dock, sighted, palletId, ordersWithLpn: ["O1"] }
        ])
        assert.deepStrictEqual(yield* seen([{ name: "lpn", value: "L2" }]), [
          { ...taken, dock, sighted: null, palletId: null, ordersWithLpn: ["O1", "O2"] }
        ])
        assert.deepStrictEqual(yield* seen([]), [{
          ...taken,
          dock,
          sighted: null,
          palletId: null,
          ordersWithLpn: []
        }])
      }))

    it.effect("what waits for one dock's shipment leaves connections to others", () =>
      Effect.gen(function*() {
        const acme = yield* aBusiness
        const hot = yield* acme.submit("S1", "O1")
        yield* acme.submit("S2", "O2", "L2")
        yield* acme.arrive(hot.id)
        const lock = yield* holding(
          Effect.flatMap(
            SqlClient.SqlClient,
            (sql) =>
              sql`select from dockline.shipment
                where business_id = ${businessId(acme.slug)}::bigint and id = ${hot.id}::bigint for update`
          )
        )
        const waiting = yield* Effect.forkChild(
          Effect.all(times(20).map((n) => acme.record({ eventId: `E${n}` })), atOnce)
        )
        yield* lockWaiters(1)
        yield* Effect.timeout(acme.record({ eventId: "other", lpn: "L2", dockSlug: "D2" }), "30 seconds")
        yield* lock.commit
        assert.strictEqual((yield* Fiber.join(waiting)).length, 20)
      }))
  })
})
