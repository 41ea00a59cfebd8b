import { Layer } from "effect"
import { runner } from "../../../../test/support/Runner.ts"
import * as Memory from "../../src/memory/Memory.ts"
import { MemoryDatabase } from "../../src/memory/MemoryDatabase.ts"
import * as Suite from "../../src/testing/Suite.ts"
import { deliveryStoreSuite } from "../../src/testing/suites/delivery/DeliveryStoreSuite.ts"
import { webhookEndpointStoreSuite } from "../../src/testing/suites/WebhookEndpointStoreSuite.ts"

const stores = Layer.mergeAll(
  Memory.layers.DeliveryStore,
  Memory.layers.Directory,
  Memory.layers.MessageLog,
  Memory.layers.WebhookEndpointStore
).pipe(Layer.provide(MemoryDatabase.layer))

Suite.register(runner, webhookEndpointStoreSuite, stores)
Suite.register(runner, deliveryStoreSuite, stores)
