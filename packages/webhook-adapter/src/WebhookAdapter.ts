/**
 * The webhook adapter: delivers the messages of the log to the endpoints of customers, until its layer closes (D9).
 *
 * ```ts
 * // `services` are a `DeliveryStore`, a `SecretsVault`, an `OutboundHttp`, a `CustomerAuth` and a `Placement`
 * WebhookAdapter.layer(config).pipe(Layer.provide(services))
 * ```
 */
import type { DeliveryStore } from "@dockline/core/webhooks/DeliveryStore"
import type { SecretsVault } from "@dockline/core/webhooks/SecretsVault"
import { Effect, Layer } from "effect"
import type { CustomerAuth } from "./auth/CustomerAuth.ts"
import { makeDispatcher } from "./dispatch/Dispatcher.ts"
import type { OutboundHttp } from "./outbound/OutboundHttp.ts"
import { Placement } from "./placement/Placement.ts"
import { defaultWebhookConfig } from "./WebhookConfig.ts"
import type { WebhookConfig } from "./WebhookConfig.ts"

/** Dispatches until the layer closes, for the partitions that the placement assigns to this process. */
export const layer = (
  config: WebhookConfig = defaultWebhookConfig
): Layer.Layer<never, never, DeliveryStore | SecretsVault | OutboundHttp | CustomerAuth | Placement> =>
  Layer.effectDiscard(Effect.gen(function*() {
    const { run } = yield* Placement
    const dispatcher = yield* makeDispatcher(config)
    yield* Effect.forkScoped(run((partition) => dispatcher.work(partition)))
  }))
