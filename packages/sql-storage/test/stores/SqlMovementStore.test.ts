import { NotRun } from "@dockline/core/access/Idempotency"
import type { Keep } from "@dockline/core/access/Idempotency"
import { Wakeups } from "@dockline/core/messages/Follower"
import { Announcer } from "@dockline/sql-storage/connections/Announcer"
import * as Sql from "@dockline/sql-storage/Sql"
import { unique } from "@dockline/testing/generators/Given"
import * as Suite from "@dockline/testing/Suite"
import { movementSuite } from "@dockline/testing/suites/movement/MovementSuite"
import { assert, describe } from "@effect/vitest"
import { Effect, Exit, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { runner } from "../../../../test/support/Runner.ts"
import * as TestDatabase from "../../../../test/support/TestDatabase.ts"
import { over } from "../../../../test/support/Tests.ts"
import { aBusiness, CurrentKeep, instance, services, statements, times } from "../Movements.ts"

Suite.register(runner, movementSuite, Suite.alternating(Sql.layer), TestDatabase.layer)

over(services)("SqlMovementStore", (test) => {
  describe("D7.3 consumers", () => {
    test("are told after the transaction has committed, and not of one that is rolled back", function*() {
      const acme = yield* aBusiness
      const sql = yield* SqlClient.SqlClient
      yield* acme.submit("S1", "O1", "L1")
      const businesses: Array<string> = []
      const announce = (slug: string) => void businesses.push(slug)
      const listening = instance(Layer.succeed(Announcer, { announce, wakeups: new Wakeups() }))
      const record = (eventId: string) =>
        Effect.provide(acme.record({ eventId, lpn: "L1" }), listening, { local: true })
      yield* Effect.ignore(sql.withTransaction(Effect.andThen(record("E1"), Effect.fail("no"))))
      assert.deepStrictEqual(businesses, [])
      yield* sql.withTransaction(
        Effect.andThen(record("E1"), Effect.sync(() => assert.deepStrictEqual(businesses, [])))
      )
      assert.deepStrictEqual(businesses, [acme.slug])
      yield* record("E1")
      assert.deepStrictEqual(businesses, [acme.slug], "a repeat has nothing to tell")
      const breaking: Keep<unknown, NotRun> = {
        request: { clientId: "client", key: unique("key"), fingerprint: "" },
        textOf: () => {
          throw new Error("broken")
        },
        notRun: (state) => new NotRun({ state })
      }
      const failure = yield* Effect.exit(Effect.provideService(record("E2"), CurrentKeep, breaking))
      assert.isTrue(Exit.isFailure(failure))
      assert.deepStrictEqual(businesses, [acme.slug, acme.slug], "the event stays though its answer breaks")
      assert.isTrue((yield* record("E2")).repeated)
    })
  })

  describe("recording", () => {
    test("ids, numbers and lpns of the longest kind are told apart by their last character", function*() {
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
    })

    test("a pallet event, a repeat and a step are two statements at most, and the ends of an event's, whatever the shipment holds", function*() {
      const acme = yield* aBusiness
      const { id } = yield* acme.submit("S1", "O1", ...times(500).map((n) => `L${n}`))
      yield* Effect.all(times(50).map((n) => acme.record({ eventId: `E${n}`, lpn: `L${n}` })), {
        discard: true
      })
      assert.strictEqual(yield* statements(acme.record({ eventId: "new", lpn: "L99" })), 4)
      assert.strictEqual(yield* statements(acme.record({ eventId: "new", lpn: "L99" })), 3)
      assert.strictEqual(yield* statements(acme.depart(id)), 2)
      assert.strictEqual(yield* statements(acme.depart(id)), 1)
    })
  })
})
