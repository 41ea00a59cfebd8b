import { deliveryReplaySuite } from "@dockline/core/testing/DeliveryReplaySuite"
import { deliverySettleSuite } from "@dockline/core/testing/DeliverySettleSuite"
import { deliveryTakeSuite } from "@dockline/core/testing/DeliveryTakeSuite"
import { webhookEndpointSuite } from "@dockline/core/testing/WebhookEndpointSuite"
import { Announcer } from "@dockline/sql-storage/Announcer"
import * as SqlDeliveryStore from "@dockline/sql-storage/SqlDeliveryStore"
import * as SqlDirectory from "@dockline/sql-storage/SqlDirectory"
import * as SqlMessageLog from "@dockline/sql-storage/SqlMessageLog"
import * as SqlWebhookEndpointStore from "@dockline/sql-storage/SqlWebhookEndpointStore"
import { Layer } from "effect"
import * as TestDatabase from "../../../test/support/TestDatabase.ts"

const base = Layer.orDie(TestDatabase.layer)

const stores = Layer.mergeAll(
  SqlDeliveryStore.layer,
  SqlDirectory.layer,
  SqlMessageLog.layer,
  SqlWebhookEndpointStore.layer
).pipe(Layer.provide(Announcer.layer))

webhookEndpointSuite("webhook endpoints on PostgreSQL", base, stores)
deliveryTakeSuite("what webhook endpoints get next, on PostgreSQL", base, stores)
deliverySettleSuite("what becomes of deliveries, on PostgreSQL", base, stores)
deliveryReplaySuite("replays of deliveries, on PostgreSQL", base, stores)
