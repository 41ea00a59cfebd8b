/**
 * All ports in memory over one shared database: for tests, for trying things out, and as the model the other
 * storages are held against. Nothing survives the process.
 */
import { Layer } from "effect"
import { ClientStore } from "./ClientStore.ts"
import { DeliveryStore } from "./DeliveryStore.ts"
import { Directory } from "./Directory.ts"
import { IdempotencyStore } from "./IdempotencyStore.ts"
import { IntakeStore } from "./IntakeStore.ts"
import { MemoryDatabase } from "./MemoryDatabase.ts"
import { MessageLog } from "./MessageLog.ts"
import { MovementStore } from "./MovementStore.ts"
import { ShipmentStore } from "./ShipmentStore.ts"
import { SigningKeyStore } from "./SigningKeyStore.ts"
import { WebhookEndpointStore } from "./WebhookEndpointStore.ts"

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

/** Every port of core, over the database in memory that is given: for those who look into it or share it. */
export const layerOverDatabase: Layer.Layer<Stores, never, MemoryDatabase> = Layer.mergeAll(
  ClientStore.layerMemory,
  DeliveryStore.layerMemory,
  Directory.layerMemory,
  IdempotencyStore.layerMemory,
  IntakeStore.layerMemory,
  MessageLog.layerMemory,
  MovementStore.layerMemory,
  ShipmentStore.layerMemory,
  SigningKeyStore.layerMemory,
  WebhookEndpointStore.layerMemory
)

/** Every port of core, over one database in memory. */
export const layer: Layer.Layer<Stores> = Layer.provide(layerOverDatabase, MemoryDatabase.layer)
