/**
 * Shows the delivery record to operators, and replays deliveries (D9.6, D11).
 *
 * Guarantee: as in `Webhooks.ts`.
 */
import { Context, Effect, Layer } from "effect"
import type { Authorized } from "../access/Access.ts"
import { audited, subjectOf } from "../access/AuditLog.ts"
import type { AuditLog } from "../access/AuditLog.ts"
import { clip } from "../values/Clip.ts"
import type { InvalidParameter } from "../values/Errors.ts"
import { DeliveryNotFound } from "../values/OperatorErrors.ts"
import type { TooManyDeliveries } from "../values/OperatorErrors.ts"
import { idOf, idPage, mapPage } from "../values/Page.ts"
import type { Page, PageQuery } from "../values/Page.ts"
import * as Timestamp from "../values/Timestamp.ts"
import type { DeliveryStatus } from "../webhooks/Delivery.ts"
import { DeliveryStore } from "../webhooks/DeliveryStore.ts"
import type { ReplayRange } from "../webhooks/DeliveryStore.ts"
import type { WebhookEndpointStore } from "../webhooks/WebhookEndpointStore.ts"
import type { EndpointError } from "./OperationErrors.ts"
import { deliveryView } from "./OperatorView.ts"
import type { DeliveryView, ReplayCount } from "./OperatorView.ts"
import { endpointFinder } from "./Webhooks.ts"

/** The filter and the page of a list of deliveries; `""` filters nothing. */
export interface DeliveryQuery extends PageQuery {
  readonly status?: DeliveryStatus | "" | undefined
}

/** Shows and replays deliveries of endpoints. Ids are decimal text, as in a path; other text names nothing. */
export class Deliveries extends Context.Service<Deliveries, {
  /** The deliveries of an endpoint, the newest message first. */
  readonly list: Authorized<
    [endpointId: string, query: DeliveryQuery],
    Page<DeliveryView>,
    EndpointError | InvalidParameter
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
  static readonly layer: Layer.Layer<Deliveries, never, DeliveryStore | WebhookEndpointStore | AuditLog> =
    Layer.effect(
      Deliveries,
      Effect.gen(function*() {
        const store = yield* DeliveryStore
        const find = yield* endpointFinder
        const audit = yield* audited
        return Deliveries.of({
          list: Effect.fn("Deliveries.list")(function*(endpointId, { status, ...query }, principal) {
            const { id } = yield* find(endpointId, principal)
            const page = yield* Effect.fromResult(idPage(query))
            return mapPage(yield* store.list(id, status === "" ? undefined : status, page), deliveryView)
          }),

          replay: Effect.fn("Deliveries.replay")(function*(endpointId, deliveryId, principal) {
            const { business, id } = yield* find(endpointId, principal)
            const messageId = idOf(deliveryId)
            if (messageId === undefined) return yield* new DeliveryNotFound({ id: clip(deliveryId) })
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
