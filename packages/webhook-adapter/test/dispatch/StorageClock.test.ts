/** Instances of different clocks deliver by one clock, that of the database (D9.3, D9.5). */
import * as Timestamp from "@dockline/core/values/Timestamp"
import { DeliveryStore } from "@dockline/core/webhooks/DeliveryStore"
import type { EndpointDraft } from "@dockline/core/webhooks/WebhookEndpoint"
import * as Sql from "@dockline/sql-storage/Sql"
import { unique } from "@dockline/testing/generators/Given"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { ahead, day } from "../../../../test/support/database/InstanceClock.ts"
import { eventually } from "../../../../test/support/Eventually.ts"
import * as TestDatabase from "../../../../test/support/TestDatabase.ts"
import { over } from "../../../../test/support/Tests.ts"
import * as GroupCommit from "../../src/dispatch/GroupCommit.ts"
import { monotonicMillis } from "../../src/dispatch/Sending.ts"
import {
  anEndpoint,
  answer,
  append,
  deliveries,
  dispatch,
  endpoint,
  makeBusiness,
  Outside,
  quiet,
  secret
} from "../DispatchWorld.ts"

const hour = 3_600_000

describe("D21.6 the clock of the storage", () => {
  it.live("shows what the storage said, and what has passed since, whatever clock the process has", () =>
    Effect.gen(function*() {
      const system = yield* Clock.Clock
      const { onAnswer, clock, fixedTime } = GroupCommit.make(system)
      assert.isNull(fixedTime())
      const customerTime = Timestamp.of("2031-01-01T00:00:00.000Z")
      const askedAt = monotonicMillis(system)
      onAnswer(customerTime, askedAt)
      const time = yield* ahead(day)(clock.currentTimeMillis)
      assert.isAtLeast(time, Date.parse(customerTime))
      assert.isAtMost(time - Date.parse(customerTime), monotonicMillis(system) - askedAt)
    }))

  it("stays as it is while the answers of the storage allow it, however long they take", () => {
    const rows = [
      // ahead, time, asked at, answered at, ahead then
      [1000, 1150, 100, 200, 1000],
      [1000, 1100, 100, 200, 1000],
      [1000, 1200, 100, 200, 1000],
      [1000, 5000, 100, 200, 4800],
      [1000, 500, 100, 200, 400]
    ] as const
    for (const [ahead, time, askedAt, answeredAt, then] of rows) {
      assert.strictEqual(GroupCommit.agree(ahead, time, askedAt, answeredAt), then)
    }
  })

  it.effect("is a clock that was given", () =>
    Effect.gen(function*() {
      const { onAnswer, clock, fixedTime } = GroupCommit.make(yield* Clock.Clock)
      yield* TestClock.setTime(hour)
      onAnswer(Timestamp.of("2031-01-01T00:00:00.000Z"), 0)
      assert.deepStrictEqual([fixedTime(), clock.currentTimeMillisUnsafe()], [
        Timestamp.fromMillis(hour),
        hour
      ])
    }))
})

const world = Sql.layer.pipe(
  Layer.tap((context) => Effect.provideContext(makeBusiness, context)),
  Layer.provideMerge(TestDatabase.layer),
  Layer.provideMerge(quiet)
)

/** An endpoint that fails, and its one delivery after that many tries, whose next would be in an hour. */
const aFailure = Effect.fnUntraced(function*(fields: Partial<EndpointDraft> = {}) {
  const host = `${unique("customer")}.example`
  const id = yield* anEndpoint({ baseUrl: `https://${host}`, fromId: null, ...fields })
  const outside = new Outside()
  outside.customer = () => Effect.succeed(answer(500))
  const run = yield* Effect.context<Layer.Success<typeof world>>()
  const triesOf = (tries: number) =>
    Effect.promise(() =>
      eventually(`delivery ${tries}`, async () => {
        const [delivery] = await Effect.runPromiseWith(run)(deliveries(id))
        return delivery?.tries === tries && delivery
      })
    )
  /** An instance runs until there were so many tries. */
  const instance = (seconds: number, tries: number) =>
    Effect.scoped(
      ahead(seconds)(
        Effect.andThen(dispatch(outside, { retryDelays: [hour, hour, hour] }), triesOf(tries))
      )
    )
  /** The headers of its first request. */
  const headers = () => outside.requests.find(({ url }) => new URL(url).hostname === host)!.headers
  return { id, headers, instance }
})

over(world)("instances of different clocks", (test) => {
  for (const seconds of [-30 * day, 30 * day]) {
    // @threat reports.6
    test(`try again when they are to, where the clock is ${seconds} seconds ahead`, function*() {
      const { headers, instance } = yield* aFailure()
      yield* append([1])
      const { attempts, nextAttemptAt } = yield* instance(seconds, 1)
      const now = Date.now()
      assert.isAbove(Date.parse(nextAttemptAt!), now)
      assert.isAtMost(Date.parse(nextAttemptAt!), now + 1.2 * hour)
      // The customer refuses a signature of another time (D9.5).
      const times = [
        ...attempts.map(({ at }) => Date.parse(at)),
        Number(headers()["webhook-timestamp"]) * 1000
      ]
      for (const time of times) assert.isBelow(Math.abs(time - now), hour)
    })

    // @threat reports.6
    test(`keep an endpoint that has failed once, where the clock is ${seconds} seconds ahead`, function*() {
      const store = yield* DeliveryStore
      const { id, instance } = yield* aFailure()
      const [messageId] = yield* append([1])
      yield* instance(0, 1)
      const { failingSince } = yield* endpoint(id)
      yield* store.replay(id, messageId!, null)
      yield* instance(seconds, 1)
      const { enabled, failingSince: since } = yield* endpoint(id)
      assert.deepStrictEqual([enabled, since], [true, failingSince])
    })

    // @threat reports.6
    test(`sign with a secret that still counts, where the clock is ${seconds} seconds ahead`, function*() {
      const until = (millis: number) => Timestamp.fromMillis(Date.now() + millis)
      const signingSecrets = [null, until(hour), until(-hour)].map((validUntil) => ({
        sealed: secret,
        validUntil
      }))
      const { headers, instance } = yield* aFailure({ signingSecrets })
      yield* append([1])
      yield* instance(seconds, 1)
      assert.lengthOf(headers()["webhook-signature"]!.split(" "), 2)
    })
  }
})
