/**
 * Shows the delivery record to operators, with the requests of its attempts, and replays deliveries (D9.6, D11).
 *
 * Guarantee: as in `Webhooks.ts`.
 */
import { Context, Effect, Layer } from "effect"
import type { Authorized } from "../access/Access.ts"
import { audited, subjectOf } from "../access/AuditLog.ts"
import type { AuditLog } from "../access/AuditLog.ts"
import type * as Operation from "../access/Operation.ts"
import type { Message } from "../messages/Message.ts"
import { MessageLog } from "../messages/MessageLog.ts"
import { clip } from "../values/Clip.ts"
import type { InvalidParameter, StorageUnavailable } from "../values/Errors.ts"
import { DeliveryNotFound } from "../values/OperatorErrors.ts"
import type { TooManyDeliveries } from "../values/OperatorErrors.ts"
import { idOf, idPage, mapPage } from "../values/Page.ts"
import type { Page } from "../values/Page.ts"
import * as Timestamp from "../values/Timestamp.ts"
import { messageTypes } from "../values/Vocabulary.ts"
import { DeliveryStore } from "../webhooks/DeliveryStore.ts"
import type { ReplayRange } from "../webhooks/DeliveryStore.ts"
import type { WebhookEndpointStore } from "../webhooks/WebhookEndpointStore.ts"
import type { EndpointError } from "./OperationErrors.ts"
import { deliveryDetailView, deliveryView } from "./OperatorView.ts"
import type { DeliveryDetailView, DeliveryView, ReplayCount } from "./OperatorView.ts"
import type { listDeliveries } from "./WebhookOperations.ts"
import { endpointFinder } from "./Webhooks.ts"

/** The filter and the page of a list of deliveries; `""` filters nothing. */
export type DeliveryQuery = Operation.Query<typeof listDeliveries>

/** Shows and replays deliveries of endpoints. Ids are decimal text, as in a path; other text names nothing. */
export class Deliveries extends Context.Service<Deliveries, {
  /** The deliveries of an endpoint, the newest message first. */
  readonly list: Authorized<
    [endpointId: string, query: DeliveryQuery],
    Page<DeliveryView>,
    EndpointError | InvalidParameter
  >
  /** One delivery, with what its attempts send, as long as the log holds its message. */
  readonly get: Authorized<
    [endpointId: string, deliveryId: string],
    DeliveryDetailView,
    EndpointError | DeliveryNotFound
  >
  /** Sends a message again, whatever the status of its delivery. */
  readonly replay: Authorized<
    [endpointId: string, deliveryId: string],
    void,
    EndpointError | DeliveryNotFound
  >
  /** Sends the messages of a range again and returns their number. */
  readonly replayRange: Authorized<
    [endpointId: string, range: ReplayRange],
    ReplayCount,
    EndpointError | TooManyDeliveries
  >
}>()("@dockline/core/Deliveries") {
  /** Shows and replays the deliveries of the store. */
  static readonly layer: Layer.Layer<
    Deliveries,
    never,
    DeliveryStore | WebhookEndpointStore | MessageLog | AuditLog
  > = Layer.effect(
    Deliveries,
    Effect.gen(function*() {
      const store = yield* DeliveryStore
      const log = yield* MessageLog
      const find = yield* endpointFinder
      const audit = yield* audited
      return Deliveries.of({
        list: Effect.fn("Deliveries.list")(function*(endpointId, { status, ...query }, principal) {
          const endpoint = yield* find(endpointId, principal)
          const page = yield* Effect.fromResult(idPage(query))
          const found = yield* store.list(endpoint.id, status === "" ? undefined : status, page)
          return mapPage(found, (delivery) => deliveryView(delivery, endpoint))
        }),

        get: Effect.fn("Deliveries.get")(function*(endpointId, deliveryId, principal) {
          const endpoint = yield* find(endpointId, principal)
          const messageId = yield* messageIdOf(deliveryId)
          const { items } = yield* store.list(endpoint.id, undefined, { after: messageId + 1, limit: 1 })
          const [delivery] = items
          if (delivery?.messageId !== messageId) return yield* new DeliveryNotFound({ id: String(messageId) })
          const message = yield* messageOf(log, endpoint.business, messageId)
          return deliveryDetailView(delivery, endpoint, message)
        }),

        replay: Effect.fn("Deliveries.replay")(function*(endpointId, deliveryId, principal) {
          const { business, id } = yield* find(endpointId, principal)
          const messageId = yield* messageIdOf(deliveryId)
          yield* audit(principal, store.replay(id, messageId, yield* Timestamp.now), () => ({
            action: "DELIVERY_REPLAYED",
            business,
            subject: subjectOf("webhook-endpoints", id, "deliveries", messageId),
            details: {}
          }))
        }),

        replayRange: Effect.fn("Deliveries.replayRange")(function*(endpointId, range, principal) {
          const { business, id } = yield* find(endpointId, principal)
          const count = yield* audit(
            principal,
            store.replayRange(id, range, yield* Timestamp.now),
            (count) => ({
              action: "DELIVERIES_REPLAYED",
              business,
              subject: subjectOf("webhook-endpoints", id),
              details: { ...range, count }
            })
          )
          return { count }
        })
      })
    })
  )
}

const messageIdOf = (text: string): Effect.Effect<number, DeliveryNotFound> => {
  const id = idOf(text)
  return id === undefined ? Effect.fail(new DeliveryNotFound({ id: clip(text) })) : Effect.succeed(id)
}

/** The message of the log with this id; `null` when it was dropped by age. */
const messageOf = (
  log: MessageLog["Service"],
  business: string,
  id: number
): Effect.Effect<Message | null, StorageUnavailable> =>
  log.read({ business, facility: undefined, types: messageTypes }, { afterId: id - 1 }, 1).pipe(
    Effect.map(({ messages: [first] }) => first?.id === id ? first : null),
    Effect.catchTags({
      HistoryExpired: () => Effect.succeed(null),
      CursorAhead: () => Effect.succeed(null)
    })
  )
