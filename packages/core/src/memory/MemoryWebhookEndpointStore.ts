/**
 * Webhook endpoints in memory.
 */
import { Effect, Layer } from "effect"
import { endpointLimit, WebhookEndpointStore } from "../webhooks/WebhookEndpointStore.ts"
import { MemoryDatabase } from "./MemoryDatabase.ts"

/** Endpoints in memory. */
export const layer: Layer.Layer<WebhookEndpointStore, never, MemoryDatabase> = Layer.effect(
  WebhookEndpointStore,
  Effect.map(MemoryDatabase, ({ webhooks }) =>
    WebhookEndpointStore.of({
      create: (draft) => Effect.suspend(() => Effect.fromResult(webhooks.create(draft, endpointLimit))),
      find: (id) => Effect.sync(() => webhooks.find(id)),
      list: (scope, page) => Effect.sync(() => webhooks.list(scope, page)),
      update: (id, now, change) => Effect.suspend(() => Effect.fromResult(webhooks.update(id, now, change))),
      remove: (id) => Effect.sync(() => webhooks.remove(id))
    }))
)
