/** Deliveries are due by one clock, that of the database, whatever the clocks of instances show (D9.3). */
import { permissions } from "@dockline/core/access/Access"
import { Deliveries } from "@dockline/core/operator/Deliveries"
import { rotationMillis, Webhooks } from "@dockline/core/operator/Webhooks"
import * as Timestamp from "@dockline/core/values/Timestamp"
import { partitionOf } from "@dockline/core/webhooks/DeliveryStore"
import { DeliveryStore } from "@dockline/core/webhooks/DeliveryStore"
import { SecretsVault } from "@dockline/core/webhooks/SecretsVault"
import type { SealedText } from "@dockline/core/webhooks/SecretsVault"
import { aClient } from "@dockline/testing/generators/Given"
import {
  aSettlement,
  deliveryOf,
  failureOf,
  find,
  request,
  takeWindow
} from "@dockline/testing/worlds/DeliveryWorld"
import { assert } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { ahead, day } from "../../../../test/support/database/InstanceClock.ts"
import * as OperatorServices from "../../../../test/support/OperatorServices.ts"
import { over } from "../../../../test/support/Tests.ts"
import { services } from "../Movements.ts"

type Window = Effect.Success<ReturnType<typeof takeWindow>>

/** As an instance asks: with the time of a clock that was given, which it is not. */
const asking = Effect.fnUntraced(function*({ id, ids, lease }: Window) {
  const store = yield* DeliveryStore
  const { endpoints, nextDueAt } = yield* store.ready([partitionOf(id)], yield* Timestamp.givenNow)
  const [result] = yield* store.take([request(lease, ids.at(-1)!)], yield* Timestamp.givenNow)
  const due = result?._tag === "taken" ? result.messages.due.map(({ message }) => message.id) : undefined
  return { isReady: endpoints.includes(id), nextDueAt, due }
})

const settling = Effect.fnUntraced(
  function*(
    { fresh, ids, lease }: Window,
    results: (due: Window["fresh"]) => ReturnType<typeof deliveryOf>[]
  ) {
    const store = yield* DeliveryStore
    const settlement = aSettlement(lease, ids.at(-1)!, { results: results(fresh) })
    assert.deepStrictEqual(yield* store.settle([settlement], yield* Timestamp.givenNow), [true])
  }
)

const operator = aClient("operator", "*", "*", ...permissions)

const vault = Layer.succeed(SecretsVault, {
  seal: (secret) => Effect.succeed(Redacted.value(secret) as SealedText),
  open: (secret) => Effect.succeed(Redacted.make(secret)),
  webhookKeys: () => []
})

const operating = OperatorServices.layer({ vault }).pipe(Layer.provideMerge(services))

const inAnHour = () => Timestamp.fromMillis(Date.now() + 3_600_000)

over(operating)("deliveries on PostgreSQL", (test) => {
  for (const seconds of [-day, day]) {
    const wrong = ahead(seconds)
    const instances = [wrong, ahead(0), ahead(day)]

    // @threat reports.6
    test(`are due when they are, where the clock of an instance is ${seconds} seconds ahead`, function*() {
      const window = yield* takeWindow([1])
      const again = inAnHour()
      yield* settling(window, ([due]) => [{ ...failureOf(due!, 0, 0), nextAttemptAt: again }])
      for (const instance of instances) {
        const { due, isReady, nextDueAt } = yield* instance(asking(window))
        assert.deepStrictEqual([isReady, due], [false, []])
        assert.isAtMost(Date.parse(nextDueAt!), Date.parse(again))
      }
    })

    // @threat reports.6
    test(`are due at once after a replay by an instance whose clock is ${seconds} seconds ahead`, function*() {
      const { replayDeliveries, replayDelivery } = yield* Deliveries
      const window = yield* takeWindow([1, 2, 2])
      yield* settling(window, (all) => all.map((due) => deliveryOf(due)))
      const [one, two, three] = window.ids
      const endpointId = String(window.id)
      yield* wrong(replayDelivery({ endpointId, deliveryId: String(two) }, operator))
      for (const instance of instances) {
        const { due, isReady } = yield* instance(asking(window))
        assert.deepStrictEqual([isReady, due], [true, [two]])
      }
      yield* wrong(replayDeliveries({ endpointId, body: { fromId: one!, toId: three! } }, operator))
      for (const instance of instances) {
        const { due, isReady } = yield* instance(asking(window))
        assert.deepStrictEqual([isReady, due!.toSorted((a, b) => a - b)], [true, [one, two]])
      }
    })

    // @threat reports.6
    test(`of a shipment are due after another, settled by an instance whose clock is ${seconds} seconds ahead`, function*() {
      const window = yield* takeWindow([7, 7])
      const [first, second] = window.ids
      yield* settling(window, ([due, next]) => [
        { ...failureOf(due!, 0, 0), nextAttemptAt: inAnHour() },
        { ...failureOf(next!, 0, 0), nextAttemptAt: null }
      ])
      yield* wrong(settling({ ...window, fresh: window.fresh.slice(0, 1) }, ([due]) => [deliveryOf(due!)]))
      assert.isBelow(first!, second!)
      for (const instance of instances) {
        const { due, isReady } = yield* instance(asking(window))
        assert.deepStrictEqual([isReady, due], [true, [second]])
      }
    })

    // @threat reports.6
    test(`are due at once where an instance whose clock is ${seconds} seconds ahead enables the endpoint`, function*() {
      const { updateWebhookEndpoint } = yield* Webhooks
      const store = yield* DeliveryStore
      const window = yield* takeWindow([1])
      yield* settling(window, ([due]) => [{ ...failureOf(due!, 0, 0), nextAttemptAt: inAnHour() }])
      const endpointId = String(window.id)
      yield* wrong(updateWebhookEndpoint({ endpointId, body: { enabled: false } }, operator))
      yield* wrong(updateWebhookEndpoint({ endpointId, body: { enabled: true } }, operator))
      const [endpoint] = yield* store.open([window.id])
      for (const instance of instances) {
        const { due, isReady } = yield* instance(asking({ ...window, lease: endpoint!.lease }))
        assert.deepStrictEqual([isReady, due], [true, window.ids])
      }
    })

    // @threat reports.6
    test(`are signed with the secret before for a day, where an instance whose clock is ${seconds} seconds ahead rotates it`, function*() {
      const { rotateSigningSecret } = yield* Webhooks
      const { id } = yield* takeWindow([1])
      yield* wrong(rotateSigningSecret({ endpointId: String(id) }, operator))
      const [, before] = (yield* find(id)).signingSecrets
      const millis = Date.parse(before!.validUntil!) - Date.now()
      assert.isBelow(Math.abs(millis - rotationMillis), 3_600_000)
    })
  }
})
