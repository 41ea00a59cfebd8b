import { deliveryStoreSuite } from "@dockline/core/testing/DeliveryStoreSuite"
import * as Suite from "@dockline/core/testing/Suite"
import { webhookEndpointStoreSuite } from "@dockline/core/testing/WebhookEndpointStoreSuite"
import { Announcer } from "@dockline/sql-storage/Announcer"
import * as SqlDeliveryStore from "@dockline/sql-storage/SqlDeliveryStore"
import * as SqlDirectory from "@dockline/sql-storage/SqlDirectory"
import * as SqlMessageLog from "@dockline/sql-storage/SqlMessageLog"
import * as SqlWebhookEndpointStore from "@dockline/sql-storage/SqlWebhookEndpointStore"
import { Layer } from "effect"
import { runner } from "../../../../test/support/Runner.ts"
import * as TestDatabase from "../../../../test/support/TestDatabase.ts"

const stores = Layer.mergeAll(
  SqlDeliveryStore.layer,
  SqlDirectory.layer,
  SqlMessageLog.layer,
  SqlWebhookEndpointStore.layer
).pipe(Layer.provide(Announcer.layer))

Suite.register(runner, webhookEndpointStoreSuite, stores, TestDatabase.layer)
Suite.register(runner, deliveryStoreSuite, stores, TestDatabase.layer)
