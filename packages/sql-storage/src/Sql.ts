/** All ports of core on one PostgreSQL database. */
import type { Stores } from "@dockline/core/memory/Memory"
import { messageTypesOf } from "@dockline/core/values/Vocabulary"
import { Layer } from "effect"
import type { SqlClient } from "effect/sql"
import { Announcer } from "./connections/Announcer.ts"
import type * as SqlCapability from "./schema/SqlCapability.ts"
import * as KeptAnswers from "./stores/KeptAnswers.ts"
import * as SqlAccessStores from "./stores/SqlAccessStores.ts"
import * as SqlDeliveryStore from "./stores/SqlDeliveryStore.ts"
import * as SqlDirectory from "./stores/SqlDirectory.ts"
import * as SqlIntakeStore from "./stores/SqlIntakeStore.ts"
import * as SqlMessageLog from "./stores/SqlMessageLog.ts"
import * as SqlMovementStore from "./stores/SqlMovementStore.ts"
import * as SqlShipmentStore from "./stores/SqlShipmentStore.ts"
import * as SqlWebhookEndpointStore from "./stores/SqlWebhookEndpointStore.ts"

const contract: Layer.Layer<Stores, never, SqlClient.SqlClient | Announcer> = Layer.mergeAll(
  SqlAccessStores.auditLog,
  SqlAccessStores.clientStore,
  SqlDeliveryStore.layer,
  SqlDirectory.layer,
  KeptAnswers.layer,
  SqlIntakeStore.layer,
  SqlMessageLog.layer,
  SqlMovementStore.layer,
  SqlAccessStores.personStore,
  SqlAccessStores.sessionStore,
  SqlShipmentStore.layer,
  SqlAccessStores.signingKeyStore,
  SqlWebhookEndpointStore.layer
)

/** Every port of core, on the database of the `SqlClient`, whose schema must be migrated. */
export const layer: Layer.Layer<Stores, never, SqlClient.SqlClient> = Layer.provide(contract, Announcer.layer)

/** Every port of core and of capabilities, on the database of the `SqlClient`, whose schema must be migrated. */
export const layerWith = <const Capabilities extends SqlCapability.List>(
  capabilities: Capabilities
) =>
  // The cast restores the types of the members, which merging layers in a loop loses.
  Layer.mergeAll(contract, ...capabilities.map(({ stores }) => stores)).pipe(
    Layer.provide([
      Announcer.layer,
      messageTypesOf(capabilities.flatMap(({ messageTypes = [] }) => messageTypes))
    ])
  ) as Layer.Layer<
    Stores | SqlCapability.PortsOf<Capabilities>,
    never,
    SqlClient.SqlClient
  >
