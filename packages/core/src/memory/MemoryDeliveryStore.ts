/**
 * What endpoints are to get, in memory.
 */
import { Effect, Layer } from "effect"
import {
  backlogEndpoints,
  DeliveryStore,
  pageText,
  partitionOf,
  replayLimit
} from "../webhooks/DeliveryStore.ts"
import { MemoryDatabase } from "./MemoryDatabase.ts"

/** In memory, over the messages and endpoints of the same database. */
export const layer: Layer.Layer<DeliveryStore, never, MemoryDatabase> = Layer.effect(
  DeliveryStore,
  Effect.map(MemoryDatabase, ({ webhooks }) =>
    DeliveryStore.of({
      ready: (partitions, now) =>
        Effect.sync(() => webhooks.ready((id) => partitions.includes(partitionOf(id)), now)),
      open: (endpointIds) => Effect.sync(() => webhooks.open(endpointIds)),
      take: (requests, now) => Effect.sync(() => webhooks.take(requests, now)),
      settle: (settlements, now) => Effect.sync(() => webhooks.settle(settlements, now)),
      watch: (wake) =>
        Effect.asVoid(Effect.acquireRelease(
          Effect.sync(() => webhooks.watch(wake)),
          (leave) => Effect.sync(leave)
        )),
      list: (endpointId, status, page) =>
        Effect.sync(() => webhooks.deliveries(endpointId, status, page, pageText)),
      replay: (endpointId, messageId, now) =>
        Effect.suspend(() => Effect.fromResult(webhooks.replay(endpointId, messageId, now))),
      replayRange: (endpointId, range, now) =>
        Effect.suspend(() => Effect.fromResult(webhooks.replayRange(endpointId, range, replayLimit, now))),
      backlog: Effect.sync(() => webhooks.backlog(backlogEndpoints)),
      dropExpired: Effect.sync(() => webhooks.dropExpired())
    }))
)
