/**
 * The whole webhook adapter: delivers the messages of the log to the endpoints of customers, for as long as its layer
 * lives (D9).
 *
 * ```ts
 * // `services` are a `DeliveryStore`, a `SecretsVault`, an `OutboundHttp`, a `CustomerAuth` and a `Placement`
 * WebhookAdapter.layer(config).pipe(Layer.provide(services))
 * ```
 */
import type { DeliveryStore } from "@dockline/core/DeliveryStore"
import type { SecretsVault } from "@dockline/core/SecretsVault"
import { Effect, Layer } from "effect"
import type { CustomerAuth } from "./auth/CustomerAuth.ts"
import { Dispatcher } from "./dispatch/Dispatcher.ts"
import { EndpointAccesses } from "./dispatch/EndpointAccess.ts"
import type { OutboundHttp } from "./outbound/OutboundHttp.ts"
import { Placement } from "./placement/Placement.ts"
import { defaultWebhookConfig } from "./WebhookConfig.ts"
import type { WebhookConfig } from "./WebhookConfig.ts"

/** Dispatches from its start to its end, for the partitions that the placement gives to this process. */
export const layer = (
  config: WebhookConfig = defaultWebhookConfig
): Layer.Layer<never, never, DeliveryStore | SecretsVault | OutboundHttp | CustomerAuth | Placement> =>
  Layer.effectDiscard(
    Effect.gen(function*() {
      const placement = yield* Placement
      const dispatcher = yield* Dispatcher
      yield* Effect.forkScoped(placement.run(dispatcher.work))
    })
  ).pipe(
    Layer.provide(Dispatcher.layer(config)),
    Layer.provide(EndpointAccesses.layer)
  )
