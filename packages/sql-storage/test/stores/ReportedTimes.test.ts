/** Reported times are held to one clock, that of the database, whatever the clocks of instances show (D21.2, D21.3). */
import * as Timestamp from "@dockline/core/values/Timestamp"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { ahead, day } from "../../../../test/support/database/InstanceClock.ts"
import { over } from "../../../../test/support/Tests.ts"
import { aBusiness, services } from "../Movements.ts"

const hour = 3_600_000

/** A time so many hours from now, by a clock that is right. */
const after = (hours: number) => Timestamp.fromMillis(Date.now() + hours * hour)

over(services)("reported times on PostgreSQL", (test) => {
  for (const seconds of [-60 * day, -day, day, 60 * day]) {
    const wrong = ahead(seconds)

    // @threat reports.6
    test(`are taken as ever by an instance whose clock is ${seconds} seconds ahead`, function*() {
      const business = yield* aBusiness
      const { id } = yield* business.submit("S-1", "O-1", "L1")
      const event = (eventId: string, occurredAt: Timestamp.Timestamp) =>
        wrong(Effect.map(
          Effect.result(business.record({ eventId, occurredAt, shipmentId: id, lpn: "L1" })),
          ({ _tag }) => _tag
        ))
      assert.strictEqual(yield* event("now", after(0)), "Success")
      assert.strictEqual(yield* event("earlier", after(-24)), "Success")
      assert.strictEqual(yield* event("too late", after(24)), "Failure")
      assert.strictEqual(yield* event("too early", after(-40 * 24)), "Failure")
    })

    // @threat reports.6
    test(`are now where there are none, also by an instance whose clock is ${seconds} seconds ahead`, function*() {
      const business = yield* aBusiness
      const { id, scheduledAt } = yield* wrong(business.submit("S-1", "O-1", "L1"))
      yield* wrong(business.arrive(id))
      const { statusEvents } = yield* business.depart(id)
      for (const time of [scheduledAt, ...statusEvents.map(({ completedAt }) => completedAt)]) {
        assert.isBelow(Math.abs(Date.parse(time) - Date.now()), hour)
      }
    })
  }
})
