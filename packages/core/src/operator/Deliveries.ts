/**
 * Shows the delivery record to operators, with the request of a delivery's attempts, and replays deliveries (D9.6, D11).
 *
 * Guarantee: an operator sees and replays only deliveries of the businesses that it operates.
 */
import { Context, Effect, Layer } from "effect"
import { auditing, subjectOf } from "../access/AuditLog.ts"
import * as Authorize from "../places/Authorize.ts"
import { PayloadProfiles } from "../places/MessageField.ts"
import { Directory } from "../places/Place.ts"
import { clip } from "../values/Clip.ts"
import { DeliveryNotFound, MessageNotFound } from "../values/OperatorErrors.ts"
import { idOf, idPage, mapPage, pageLimit } from "../values/Page.ts"
import type { Page } from "../values/Page.ts"
import * as Timestamp from "../values/Timestamp.ts"
import { DeliveryStore } from "../webhooks/DeliveryStore.ts"
import type { WebhookEndpoint } from "../webhooks/WebhookEndpoint.ts"
import { WebhookEndpointStore } from "../webhooks/WebhookEndpoint.ts"
import type { OperatorHandlers } from "./OperatorOperations.ts"
import { deliveryDetailView, deliveryView, messageRecordView } from "./OperatorView.ts"
import { endpointFinder } from "./Webhooks.ts"

/** Shows and replays deliveries: handles the operations on them. An id that is not a decimal number matches nothing. */
export class Deliveries extends Context.Service<
  Deliveries,
  OperatorHandlers<"listDeliveries" | "getDelivery" | "getMessage" | "replayDelivery" | "replayDeliveries">
>()("@dockline/core/operator/Deliveries") {
  /** Shows and replays the deliveries of the store. */
  static readonly layer = Layer.effect(
    Deliveries,
    Effect.gen(function*() {
      const store = yield* DeliveryStore
      const endpoints = yield* WebhookEndpointStore
      const directory = yield* Directory
      const find = yield* endpointFinder
      const audit = yield* auditing
      const profiles = yield* PayloadProfiles
      return Deliveries.of({
        listDeliveries: Effect.fn("Deliveries.list")(function*({ endpointId, status, ...query }, principal) {
          const endpoint = yield* find(endpointId, principal)
          const page = yield* Effect.fromResult(idPage(query))
          const deliveries = yield* store.list(endpoint.id, status === "" ? undefined : status, page)
          return mapPage(deliveries, (delivery) => deliveryView(delivery, endpoint))
        }),

        getDelivery: Effect.fn("Deliveries.get")(function*({ deliveryId, endpointId }, principal) {
          const endpoint = yield* find(endpointId, principal)
          const messageId = yield* messageIdOf(deliveryId)
          const { items } = yield* store.list(endpoint.id, undefined, { after: messageId + 1, limit: 1 })
          const [delivery] = items
          if (delivery?.messageId !== messageId) return yield* new DeliveryNotFound({ id: String(messageId) })
          const message = yield* store.message(endpoint.business, messageId)
          const profile = profiles.find(({ name }) => name === endpoint.payloadProfile)
          return deliveryDetailView(delivery, endpoint, profile, message)
        }),

        getMessage: Effect.fn("Deliveries.message")(
          function*({ messageId, slug: business }, principal) {
            yield* Authorize.operatorOf(directory, principal, business)
            const id = idOf(messageId)
            const message = id === undefined ? undefined : yield* store.message(business, id)
            if (message === undefined) return yield* new MessageNotFound({ id: clip(messageId) })
            const rows: Array<WebhookEndpoint> = []
            for (let next: string | null = "0"; next !== null;) {
              const page: Page<WebhookEndpoint> = yield* endpoints.list([business], {
                limit: pageLimit,
                after: Number(next)
              })
              rows.push(...page.items)
              next = page.next
            }
            return messageRecordView(message, rows, yield* store.ofMessage(business, message.id))
          }
        ),

        replayDelivery: Effect.fn("Deliveries.replay")(function*({ deliveryId, endpointId }, principal) {
          const { business, id } = yield* find(endpointId, principal)
          const messageId = yield* messageIdOf(deliveryId)
          yield* audit(principal, store.replay(id, messageId, yield* Timestamp.givenNow), () => ({
            action: "DELIVERY_REPLAYED",
            business,
            subject: subjectOf("webhook-endpoints", id, "deliveries", messageId),
            details: {}
          }))
        }),

        replayDeliveries: Effect.fn("Deliveries.replayRange")(
          function*({ body: range, endpointId }, principal) {
            const { business, id } = yield* find(endpointId, principal)
            const count = yield* audit(
              principal,
              store.replayRange(id, range, yield* Timestamp.givenNow),
              (count) => ({
                action: "DELIVERIES_REPLAYED",
                business,
                subject: subjectOf("webhook-endpoints", id),
                details: { ...range, count }
              })
            )
            return { count }
          }
        )
      })
    })
  )
}

const messageIdOf = (text: string): Effect.Effect<number, DeliveryNotFound> => {
  const id = idOf(text)
  return id === undefined ? Effect.fail(new DeliveryNotFound({ id: clip(text) })) : Effect.succeed(id)
}
