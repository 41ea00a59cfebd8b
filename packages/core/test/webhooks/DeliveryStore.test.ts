import * as Suite from "@dockline/testing/Suite"
import { deliveryStoreSuite } from "@dockline/testing/suites/delivery/DeliveryStoreSuite"
import { webhookEndpointStoreSuite } from "@dockline/testing/suites/WebhookEndpointStoreSuite"
import { Layer } from "effect"
import { runner } from "../../../../test/support/Runner.ts"
import * as Memory from "../../src/memory/Memory.ts"
import { MemoryDatabase } from "../../src/memory/MemoryDatabase.ts"

const stores = Layer.mergeAll(
  Memory.layers.DeliveryStore,
  Memory.layers.Directory,
  Memory.layers.MessageLog,
  Memory.layers.WebhookEndpointStore
).pipe(Layer.provide(MemoryDatabase.layer))

Suite.register(runner, webhookEndpointStoreSuite, stores)
Suite.register(runner, deliveryStoreSuite, stores)
