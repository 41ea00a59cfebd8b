/**
 * All ports of core on one PostgreSQL database.
 */
import type { Stores } from "@dockline/core/Memory"
import { Layer } from "effect"
import type { SqlClient } from "effect/sql"
import { Announcer } from "./Announcer.ts"
import * as SqlClientStore from "./SqlClientStore.ts"
import * as SqlDeliveryStore from "./SqlDeliveryStore.ts"
import * as SqlDirectory from "./SqlDirectory.ts"
import * as SqlIdempotencyStore from "./SqlIdempotencyStore.ts"
import * as SqlIntakeStore from "./SqlIntakeStore.ts"
import * as SqlMessageLog from "./SqlMessageLog.ts"
import * as SqlMovementStore from "./SqlMovementStore.ts"
import * as SqlShipmentStore from "./SqlShipmentStore.ts"
import * as SqlSigningKeyStore from "./SqlSigningKeyStore.ts"
import * as SqlWebhookEndpointStore from "./SqlWebhookEndpointStore.ts"

/** Every port of core, on the database of the `SqlClient`, whose schema must be migrated. */
export const layer: Layer.Layer<Stores, never, SqlClient.SqlClient> = Layer.mergeAll(
  SqlClientStore.layer,
  SqlDeliveryStore.layer,
  SqlDirectory.layer,
  SqlIdempotencyStore.layer,
  SqlIntakeStore.layer,
  SqlMessageLog.layer,
  SqlMovementStore.layer,
  SqlShipmentStore.layer,
  SqlSigningKeyStore.layer,
  SqlWebhookEndpointStore.layer
).pipe(Layer.provide(Announcer.layer))
