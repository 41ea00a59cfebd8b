/**
 * All ports in memory over one shared database: for tests, for trials, and as the model against which other storages are
 * tested. Nothing survives the process.
 */
import { Effect, Layer } from "effect"
import { MessageLog } from "../messages/MessageLog.ts"
import { Directory } from "../places/Place.ts"
import { messageTypesOf } from "../values/Vocabulary.ts"
import { DeliveryStore } from "../webhooks/DeliveryStore.ts"
import { WebhookEndpointStore } from "../webhooks/WebhookEndpoint.ts"
import * as MemoryAccess from "./internal/MemoryAccess.ts"
import { auditLog } from "./internal/MemoryAccess.ts"
import { directoryOf } from "./internal/MemoryDirectory.ts"
import { messageLogOf } from "./internal/MemoryMessages.ts"
import { movementStore } from "./internal/MemoryMovement.ts"
import * as MemoryShipmentStores from "./internal/MemoryShipmentStores.ts"
import { deliveryStoreOf, endpointStoreOf } from "./internal/MemoryWebhooks.ts"
import { MemoryDatabase, over } from "./MemoryDatabase.ts"

/** The layer of each port, over a database in memory: for a storage that replaces some of them. */
export const layers = {
  AuditLog: auditLog,
  ClientStore: MemoryAccess.clientStore,
  DeliveryStore: over(DeliveryStore, ({ webhooks }) => deliveryStoreOf(webhooks)),
  Directory: over(Directory, ({ places }) => directoryOf(places)),
  IdempotencyStore: MemoryAccess.idempotencyStore,
  IntakeStore: MemoryShipmentStores.intakeStore,
  MessageLog: Layer.effect(MessageLog, Effect.flatMap(MemoryDatabase, messageLogOf)),
  MovementStore: movementStore,
  PersonStore: MemoryAccess.personStore,
  ShipmentStore: MemoryShipmentStores.shipmentStore,
  SessionStore: MemoryAccess.sessionStore,
  SigningKeyStore: MemoryAccess.signingKeyStore,
  WebhookEndpointStore: over(WebhookEndpointStore, ({ webhooks }) => endpointStoreOf(webhooks))
}

/** Every port of core that a storage implements. */
export type Stores = Layer.Success<(typeof layers)[keyof typeof layers]>

// `Layer.mergeAll` requires a first layer in its types, so one layer is separated from the list.
const { ClientStore: clients, ...others } = layers

/** Every port of core, over a database in memory that other layers may share. */
export const layerOverDatabase: Layer.Layer<Stores, never, MemoryDatabase> = Layer.mergeAll(
  clients,
  ...Object.values(others)
)

/** Every port of core, over one database in memory. */
export const layer: Layer.Layer<Stores> = Layer.provide(layerOverDatabase, MemoryDatabase.layer)

/** Every port of core and of capabilities, over one database in memory. */
export const layerWith = <
  const Capabilities extends ReadonlyArray<{
    readonly memory: Layer.Layer<never, never, MemoryDatabase>
    readonly messages?: Readonly<Record<string, unknown>>
  }>
>(capabilities: Capabilities) =>
  // The cast restores the types of the members, which merging layers in a loop loses.
  Layer.mergeAll(layerOverDatabase, ...capabilities.map(({ memory }) => memory)).pipe(
    Layer.provide(MemoryDatabase.layer),
    Layer.provide(
      messageTypesOf(capabilities.flatMap(({ messages = {} }) => Object.keys(messages)))
    )
  ) as Layer.Layer<Stores | Layer.Success<Capabilities[number]["memory"]>>
