/**
 * What holds for the record of deliveries on behalf of operators, whatever it is stored in.
 */
import * as assert from "@dockline/testing/Assert"
import {
  anAttempt,
  aSettlement,
  deliveryOf,
  failureOf,
  request
} from "@dockline/testing/worlds/DeliveryWorld"
import * as DeliveryWorld from "@dockline/testing/worlds/DeliveryWorld"
import { aDraft, append, at } from "@dockline/testing/worlds/MessageLogWorld"
import { aBusiness } from "@dockline/testing/worlds/OperatorWorld"
import { Effect } from "effect"
import type * as Operation from "../../src/access/Operation.ts"
import { MessageLog } from "../../src/messages/MessageLog.ts"
import type { listDeliveries } from "../../src/operator/internal/WebhookOperations.ts"
import { messageTypes } from "../../src/values/Vocabulary.ts"
import { DeliveryStore } from "../../src/webhooks/DeliveryStore.ts"
import { WebhookEndpointStore } from "../../src/webhooks/WebhookEndpoint.ts"
import { ask } from "./OperatorServices.ts"
import type { Part } from "./OperatorServices.ts"
import { patch } from "./WebhooksWorld.ts"

/** An endpoint that got five messages: the first was delivered, the second is dead, the third failed once. */
export const aWorld = Effect.gen(function*() {
  const business = yield* aBusiness
  const store = yield* DeliveryStore
  const endpoint = yield* Effect.flatMap(
    WebhookEndpointStore,
    ({ create }) => create(DeliveryWorld.anEndpoint(business))
  )
  const messages = yield* append(
    ...[1, 2, 3, 4, 5].map((n) =>
      aDraft(business, n, { shipmentId: n, type: n === 5 ? "SHIPMENT_COMPLETE" : "PALLET_EVENT" })
    )
  )
  const [endpointLease] = yield* store.open([endpoint.id])
  const [result] = yield* store.take([request(endpointLease!.lease, endpoint.cursorId)], DeliveryWorld.at(0))
  const fresh = result?._tag === "taken" ? result.messages.fresh : []
  assert.strictEqual(fresh.length, 5)
  yield* store.settle([aSettlement(endpointLease!.lease, messages.at(-1)!.id, {
    results: [
      deliveryOf(fresh[0]!, 1),
      { ...failureOf(fresh[1]!, 2, 0), status: "DEAD", nextAttemptAt: null },
      {
        ...failureOf(fresh[2]!, 3, 60),
        attempts: [anAttempt(3, { status: null, response: "", error: "refused" })]
      },
      deliveryOf(fresh[3]!, 4),
      deliveryOf(fresh[4]!, 5)
    ]
  })], DeliveryWorld.at(5))
  return { business, id: String(endpoint.id), messageIds: messages.map(({ id }) => id) }
})

type DeliveryQuery = Operation.Query<typeof listDeliveries>

const list = (id: string, query: DeliveryQuery = {}) => ask("listDeliveries", { endpointId: id, ...query })

const statuses = (id: string) =>
  Effect.map(list(id), ({ items }) => items.toReversed().map(({ status }) => status))

/** The cases of deliveries. */
export const deliveries: Part = (test, describe) => {
  describe("D9.6 the record of deliveries", () => {
    test(
      "shows each with its attempts, the newest message first",
      Effect.gen(function*() {
        const { id, messageIds } = yield* aWorld
        const { items, next } = yield* list(id)
        assert.isNull(next)
        assert.deepStrictEqual(items.map(({ messageId }) => messageId), messageIds.toReversed())
        const time = (seconds: number) => DeliveryWorld.at(seconds)
        assert.deepStrictEqual(items.slice(2, 4), [
          {
            id: String(messageIds[2]),
            messageId: messageIds[2]!,
            messageType: "PALLET_EVENT",
            shipmentId: "3",
            status: "PENDING",
            attempts: [{ at: time(3), status: null, durationMs: 12, response: "", error: "refused" }],
            nextAttemptAt: time(60)
          },
          {
            id: String(messageIds[1]),
            messageId: messageIds[1]!,
            messageType: "PALLET_EVENT",
            shipmentId: "2",
            status: "DEAD",
            attempts: [{ at: time(2), status: 500, durationMs: 12, response: "no", error: "" }],
            nextAttemptAt: null
          }
        ])
        assert.strictEqual(items[0]!.messageType, "SHIPMENT_COMPLETE")
      })
    )

    test(
      "shows one with what its attempts send",
      Effect.gen(function*() {
        const { business, id, messageIds } = yield* aWorld
        const second = String(messageIds[1])
        const { request, ...delivery } = yield* ask("getDelivery", { endpointId: id, deliveryId: second })
        assert.deepStrictEqual(
          delivery,
          (yield* ask("listDeliveries", { endpointId: id })).items.find((delivery) => delivery.id === second)
        )
        const [message] = (yield* (yield* MessageLog).read(
          { business, facility: undefined, types: messageTypes },
          { afterId: messageIds[1]! - 1 },
          1
        )).messages
        assert.deepStrictEqual(request, {
          url: "https://customer.example:8443/hooks/api/palletEvent",
          headers: {
            "Content-Type": "application/json",
            "webhook-id": `msg_${second}`,
            Authorization: "***"
          },
          body: message!.json,
          length: message!.json.length
        })
      })
    )
  })

  describe("D9.10 what became of a message", () => {
    test(
      "is told for each endpoint of the business, with the reason",
      Effect.gen(function*() {
        const { business, id, messageIds } = yield* aWorld
        const [, dead, third] = messageIds
        const { id: late } = yield* Effect.flatMap(
          WebhookEndpointStore,
          ({ create }) => create(DeliveryWorld.anEndpoint(business, { messageTypes: ["SHIPMENT_COMPLETE"] }))
        )
        const stateOf = (messageId: number) =>
          Effect.map(
            ask("getMessage", { slug: business, messageId: String(messageId) }),
            ({ endpoints }) =>
              endpoints.map(({ endpointId, lastAttempt, state }) => [endpointId, state, lastAttempt?.status])
          )
        assert.deepStrictEqual(yield* stateOf(dead!), [[id, "DEAD", 500], [
          String(late),
          "OTHER_TYPE",
          undefined
        ]])
        assert.deepStrictEqual((yield* stateOf(third!))[0], [id, "PENDING", null])
        assert.deepStrictEqual((yield* stateOf(messageIds[4]!))[1], [String(late), "NOT_SENT", undefined])
        const { body, length, messageType, shipmentId } = yield* ask("getMessage", {
          slug: business,
          messageId: String(dead)
        })
        assert.deepStrictEqual([messageType, shipmentId], ["PALLET_EVENT", "2"])
        assert.strictEqual(body.length, length)
      })
    )
  })

  describe("D9.6 replays", () => {
    test(
      "of one make it pending and due, whatever it was",
      Effect.gen(function*() {
        const { id, messageIds } = yield* aWorld
        const now = Date.parse(DeliveryWorld.at(10))
        for (const messageId of messageIds.slice(0, 3)) {
          yield* at(now)(ask("replayDelivery", { endpointId: id, deliveryId: String(messageId) }))
        }
        const { items } = yield* list(id, { status: "PENDING" })
        assert.deepStrictEqual(
          items.map(({ messageId, nextAttemptAt }) => [messageId, nextAttemptAt]),
          messageIds.slice(0, 3).toReversed().map((messageId) => [messageId, DeliveryWorld.at(10)])
        )
      })
    )

    test(
      "at a disabled endpoint have no next attempt, until it is enabled",
      Effect.gen(function*() {
        const { id, messageIds } = yield* aWorld
        const isVisible = Effect.gen(function*() {
          const { items } = yield* list(id, { status: "PENDING" })
          const one = yield* ask("getDelivery", { endpointId: id, deliveryId: String(messageIds[2]) })
          return [...items, one].map(({ nextAttemptAt }) => nextAttemptAt !== null)
        })
        const before = yield* isVisible
        assert.include(before, true)
        yield* ask("updateWebhookEndpoint", { endpointId: id, body: patch({ enabled: false }) })
        assert.deepStrictEqual(yield* isVisible, before.map(() => false))
        yield* ask("updateWebhookEndpoint", { endpointId: id, body: patch({ enabled: true }) })
        assert.deepStrictEqual(yield* isVisible, before)
      })
    )

    test(
      "of a range of ids say how many",
      Effect.gen(function*() {
        const { id, messageIds } = yield* aWorld
        const range = { fromId: messageIds[1]!, toId: messageIds[3]! }
        assert.deepStrictEqual(yield* ask("replayDeliveries", { endpointId: id, body: range }), { count: 3 })
        assert.deepStrictEqual(yield* statuses(id), [
          "DELIVERED",
          "PENDING",
          "PENDING",
          "PENDING",
          "DELIVERED"
        ])
      })
    )
  })
}
