/**
 * All ports in memory over one shared database: for tests, for trying things out, and as the model the other
 * storages are held against. Nothing survives the process.
 */
import { Layer } from "effect"
import type { ClientStore } from "../access/ClientStore.ts"
import type { IdempotencyStore } from "../access/IdempotencyStore.ts"
import type { SigningKeyStore } from "../access/SigningKeyStore.ts"
import type { IntakeStore } from "../document/IntakeStore.ts"
import type { MessageLog } from "../messages/MessageLog.ts"
import type { MovementStore } from "../movement/MovementStore.ts"
import type { Directory } from "../places/Directory.ts"
import type { ShipmentStore } from "../shipment/ShipmentStore.ts"
import type { DeliveryStore } from "../webhooks/DeliveryStore.ts"
import type { WebhookEndpointStore } from "../webhooks/WebhookEndpointStore.ts"
import * as MemoryClientStore from "./MemoryClientStore.ts"
import { MemoryDatabase } from "./MemoryDatabase.ts"
import * as MemoryDeliveryStore from "./MemoryDeliveryStore.ts"
import * as MemoryDirectory from "./MemoryDirectory.ts"
import * as MemoryIdempotencyStore from "./MemoryIdempotencyStore.ts"
import * as MemoryIntakeStore from "./MemoryIntakeStore.ts"
import * as MemoryMessageLog from "./MemoryMessageLog.ts"
import * as MemoryMovementStore from "./MemoryMovementStore.ts"
import * as MemoryShipmentStore from "./MemoryShipmentStore.ts"
import * as MemorySigningKeyStore from "./MemorySigningKeyStore.ts"
import * as MemoryWebhookEndpointStore from "./MemoryWebhookEndpointStore.ts"

/** Every port of core. */
export type Stores =
  | ClientStore
  | DeliveryStore
  | Directory
  | IdempotencyStore
  | IntakeStore
  | MessageLog
  | MovementStore
  | ShipmentStore
  | SigningKeyStore
  | WebhookEndpointStore

/** The layer of each port, over the database in memory that is given: for a storage that takes the place of some. */
export const layers = {
  ClientStore: MemoryClientStore.layer,
  DeliveryStore: MemoryDeliveryStore.layer,
  Directory: MemoryDirectory.layer,
  IdempotencyStore: MemoryIdempotencyStore.layer,
  IntakeStore: MemoryIntakeStore.layer,
  MessageLog: MemoryMessageLog.layer,
  MovementStore: MemoryMovementStore.layer,
  ShipmentStore: MemoryShipmentStore.layer,
  SigningKeyStore: MemorySigningKeyStore.layer,
  WebhookEndpointStore: MemoryWebhookEndpointStore.layer
}

/** Every port of core, over the database in memory that is given: for those who look into it or share it. */
export const layerOverDatabase: Layer.Layer<Stores, never, MemoryDatabase> = Layer.mergeAll(
  layers.ClientStore,
  layers.DeliveryStore,
  layers.Directory,
  layers.IdempotencyStore,
  layers.IntakeStore,
  layers.MessageLog,
  layers.MovementStore,
  layers.ShipmentStore,
  layers.SigningKeyStore,
  layers.WebhookEndpointStore
)

/** Every port of core, over one database in memory. */
export const layer: Layer.Layer<Stores> = Layer.provide(layerOverDatabase, MemoryDatabase.layer)
