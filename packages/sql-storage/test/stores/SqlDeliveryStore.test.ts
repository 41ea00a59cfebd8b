import * as Sql from "@dockline/sql-storage/Sql"
import * as Suite from "@dockline/testing/Suite"
import { deliveryStoreSuite } from "@dockline/testing/suites/delivery/DeliveryStoreSuite"
import { webhookEndpointStoreSuite } from "@dockline/testing/suites/WebhookEndpointStoreSuite"
import { runner } from "../../../../test/support/Runner.ts"
import * as TestDatabase from "../../../../test/support/TestDatabase.ts"

Suite.register(runner, webhookEndpointStoreSuite, Sql.layer, TestDatabase.layer)
Suite.register(runner, deliveryStoreSuite, Sql.layer, TestDatabase.layer)
