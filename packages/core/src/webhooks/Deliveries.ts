/**
 * The record of deliveries, and sending messages again, on behalf of an operator (D9.6, D11).
 *
 * Guarantee: as of `Webhooks.ts`.
 */
import { Context, Effect, Layer } from "effect"
import type { Principal } from "../access/Access.ts"
import { idOf, idPage } from "../operator/Operators.ts"
import type { PageQuery } from "../operator/Operators.ts"
import { deliveryView } from "../operator/OperatorView.ts"
import type { DeliveryView, ReplayCount } from "../operator/OperatorView.ts"
import { clip } from "../values/Clip.ts"
import type { InvalidParameter } from "../values/Errors.ts"
import { DeliveryNotFound } from "../values/OperatorErrors.ts"
import type { TooManyDeliveries } from "../values/OperatorErrors.ts"
import type { Page } from "../values/Page.ts"
import * as Timestamp from "../values/Timestamp.ts"
import type { DeliveryStatus } from "./Delivery.ts"
import { DeliveryStore } from "./DeliveryStore.ts"
import type { ReplayRange } from "./DeliveryStore.ts"
import type { WebhookEndpointStore } from "./WebhookEndpointStore.ts"
import { endpointFinder } from "./Webhooks.ts"
import type { EndpointRefusal } from "./Webhooks.ts"

/** What narrows a list of deliveries; `""` narrows nothing. */
export interface DeliveryQuery extends PageQuery {
  readonly status?: DeliveryStatus | "" | undefined
}

/** Deliveries of endpoints. Ids are decimal text, as they come in a path; text that is no id names nothing. */
export class Deliveries extends Context.Service<Deliveries, {
  /** The deliveries of an endpoint, the newest message first. */
  readonly list: (
    endpointId: string,
    query: DeliveryQuery,
    principal: Principal
  ) => Effect.Effect<Page<DeliveryView>, EndpointRefusal | InvalidParameter>
  /** Sends a message again, whatever has become of it. */
  readonly replay: (
    endpointId: string,
    deliveryId: string,
    principal: Principal
  ) => Effect.Effect<void, EndpointRefusal | DeliveryNotFound>
  /** Sends the messages of a range again, and says how many. */
  readonly replayRange: (
    endpointId: string,
    range: ReplayRange,
    principal: Principal
  ) => Effect.Effect<ReplayCount, EndpointRefusal | TooManyDeliveries>
}>()("@dockline/core/Deliveries") {
  /** Deliveries of the store. */
  static readonly layer: Layer.Layer<Deliveries, never, DeliveryStore | WebhookEndpointStore> = Layer.effect(
    Deliveries,
    Effect.gen(function*() {
      const store = yield* DeliveryStore
      const find = yield* endpointFinder
      return Deliveries.of({
        list: Effect.fn("Deliveries.list")(function*(
          endpointId: string,
          { status, ...query }: DeliveryQuery,
          principal: Principal
        ) {
          const { id } = yield* find(endpointId, principal)
          const page = yield* Effect.fromResult(idPage(query))
          const { items, next } = yield* store.list(id, status === "" ? undefined : status, page)
          return { items: items.map(deliveryView), next }
        }),

        replay: Effect.fn("Deliveries.replay")(function*(
          endpointId: string,
          deliveryId: string,
          principal: Principal
        ) {
          const { id } = yield* find(endpointId, principal)
          const messageId = idOf(deliveryId)
          if (messageId === undefined) return yield* new DeliveryNotFound({ id: clip(deliveryId) })
          yield* store.replay(id, messageId, yield* Timestamp.now)
        }),

        replayRange: Effect.fn("Deliveries.replayRange")(function*(
          endpointId: string,
          range: ReplayRange,
          principal: Principal
        ) {
          const { id } = yield* find(endpointId, principal)
          return { count: yield* store.replayRange(id, range, yield* Timestamp.now) }
        })
      })
    })
  )
}
