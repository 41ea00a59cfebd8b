import { Announcer } from "@dockline/sql-storage/connections/Announcer"
import * as SqlDeliveryStore from "@dockline/sql-storage/stores/SqlDeliveryStore"
import * as SqlDirectory from "@dockline/sql-storage/stores/SqlDirectory"
import * as SqlMessageLog from "@dockline/sql-storage/stores/SqlMessageLog"
import * as SqlWebhookEndpointStore from "@dockline/sql-storage/stores/SqlWebhookEndpointStore"
import * as Suite from "@dockline/testing/Suite"
import { deliveryStoreSuite } from "@dockline/testing/suites/delivery/DeliveryStoreSuite"
import { webhookEndpointStoreSuite } from "@dockline/testing/suites/WebhookEndpointStoreSuite"
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
