/**
 * What waits for one hot shipment or one hot business, with an idempotency key and without one: the others go on.
 *
 * Others are judged by the order of events: they are done while the lock is held.
 */
import type { Intake } from "@dockline/core/document/Intake"
import type { Pallets } from "@dockline/core/movement/Pallets"
import type { Shipments } from "@dockline/core/movement/Shipments"
import { assert } from "@effect/vitest"
import { Effect, Fiber, Latch } from "effect"
import { SqlClient } from "effect/sql"
import { lockWaits } from "../../../test/support/database/LockWaits.ts"
import { over } from "../../../test/support/Tests.ts"
import { aBusiness, atOnce, crowdedWith, lockWaiters, times, underKey } from "./Movements.ts"

let keys = 0

/** Writes as a request without a key does. */
const withoutKey = <A, E, R>(write: Effect.Effect<A, E, R>) =>
  Effect.match(write, { onFailure: () => "unavailable", onSuccess: () => "done" })

/** Writes as a request with a key of its own does; its answer says what became of it. */
const withKey = <A, E extends { readonly _tag: string }, R>(
  write: Effect.Effect<A, E, R>,
  key = `key-${++keys}`
) =>
  Effect.catchIf(
    underKey(write, key),
    ({ code }) => code !== "IDEMPOTENCY_KEY_IN_USE",
    () => Effect.succeed("unavailable")
  )

const ways = { unkeyed: withoutKey, keyed: withKey }

/** Locks shipments in a session that is none of those for requests. */
const lockShipments = Effect.fnUntraced(function*(pattern: string) {
  const session = yield* SqlClient.SqlClient.use((sql) => sql.reserve)
  const run = (statement: string, ...params: ReadonlyArray<string>) =>
    Effect.asVoid(session.executeUnprepared(statement, params, undefined))
  yield* run("begin")
  yield* run("select from dockline.shipment where number like $1 for update", pattern)
  return { commit: run("commit") }
})

const crowd = crowdedWith([])

over(crowd)("what waits for one shipment", (test) => {
  for (
    const what of [
      "documents",
      "pallets by number",
      "pallets by id",
      "pallets at a dock",
      "departures"
    ] as const
  ) {
    test(
      `${what}: one waits inside PostgreSQL, the others are 503, nobody else is concerned`,
      function*() {
        const [acme, globex] = [yield* aBusiness, yield* aBusiness]
        const hot = yield* acme.submit("HOT", "HOT", "L0")
        yield* acme.arrive(hot.id)
        const cold = yield* acme.submit("COLD", "COLD", "C0")
        const far = yield* globex.submit("FAR", "FAR", "F0")
        const writes: Record<
          typeof what,
          () => Effect.Effect<unknown, { readonly _tag: string }, Intake | Pallets | Shipments>
        > = {
          "documents": () => acme.append("HOT", "HOT", `L${++keys}`),
          "pallets by number": () => acme.record({ eventId: `e-${++keys}`, shipmentNumber: "HOT" }),
          "pallets by id": () => acme.record({ eventId: `e-${++keys}`, shipmentId: hot.id }),
          "pallets at a dock": () => acme.record({ eventId: `e-${++keys}` }),
          "departures": () => acme.depart(hot.id)
        }
        const write = writes[what]
        const lock = yield* lockShipments("HOT")
        const all = yield* Latch.make(false)
        const answers: Array<string> = []
        const waiting = yield* Effect.forkChild(Effect.forEach(
          times(20),
          (n) =>
            Effect.map(n % 2 === 0 ? withKey(write()) : withoutKey(write()), (answer) => {
              if (answers.push(answer) === 19) all.openUnsafe()
            }),
          atOnce
        ))
        yield* lockWaiters(1)
        const others = yield* Effect.all([
          withoutKey(acme.append("COLD", "COLD", "C1")),
          withKey(acme.append("COLD2", "COLD2", "C2")),
          withoutKey(acme.record({ eventId: `e-${++keys}`, shipmentId: cold.id })),
          withKey(globex.append("FAR", "FAR", "F1")),
          withoutKey(globex.append("FAR2", "FAR2", "F2")),
          withKey(globex.record({ eventId: `e-${++keys}`, shipmentId: far.id }))
        ], atOnce)
        assert.deepStrictEqual(others, times(6).map(() => "done"))
        assert.strictEqual(yield* lockWaits, 1)
        yield* all.await
        assert.deepStrictEqual(answers, times(19).map(() => "unavailable"))
        assert.strictEqual(yield* lockWaits, 1)
        yield* lock.commit
        yield* Fiber.join(waiting)
        assert.strictEqual(answers.length, 20)
      },
      60_000
    )
  }

  test("a key is in use while its request waits for its turn, and free once that was given up", function*() {
    const acme = yield* aBusiness
    yield* acme.submit("HOT", "HOT", "L0")
    const lock = yield* lockShipments("HOT")
    const first = yield* Effect.forkChild(withoutKey(acme.append("HOT", "HOT", "L1")))
    yield* lockWaiters(1)
    const second = yield* Effect.forkChild(withKey(acme.append("HOT", "HOT", "L2"), "waits"))
    yield* Effect.yieldNow
    const again = withKey(acme.append("HOT", "HOT", "L2"), "waits")
    assert.strictEqual((yield* Effect.flip(again)).code, "IDEMPOTENCY_KEY_IN_USE")
    assert.strictEqual(yield* Fiber.join(second), "unavailable")
    yield* lock.commit
    assert.strictEqual(yield* Fiber.join(first), "done")
    assert.strictEqual(yield* again, "done")
    assert.strictEqual(yield* again, "done")
    const [row] = yield* SqlClient.SqlClient.use((sql) =>
      sql<{ readonly items: number }>`select count(*)::int as items from dockline.order_item i
          join dockline.customer_order o on o.id = i.order_id join dockline.facility f on f.id = o.facility_id
          join dockline.business b on b.id = f.business_id where b.slug = ${acme.slug}`
    )
    assert.strictEqual(row!.items, 3)
  })
})

over(crowd)("what waits for many shipments of one business", (test) => {
  for (const [way, send] of Object.entries(ways) as ReadonlyArray<["keyed", typeof withKey]>) {
    // @threat load.12
    test(`leaves connections to others, ${way}`, function*() {
      const [acme, globex] = [yield* aBusiness, yield* aBusiness]
      yield* Effect.forEach(times(12), (n) => acme.submit(`MANY-${n}`, `MANY-${n}`))
      const lock = yield* lockShipments("MANY-%")
      const waiting = yield* Effect.forkChild(Effect.forEach(
        times(12),
        (n) => send(acme.append(`MANY-${n}`, `MANY-${n}`, "L1")),
        atOnce
      ))
      yield* lockWaiters(5)
      assert.strictEqual(yield* send(globex.append("FREE", "FREE", "L1")), "done")
      yield* lock.commit
      yield* Fiber.join(waiting)
    })
  }
})
