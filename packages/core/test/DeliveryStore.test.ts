import { DeliveryStore } from "@dockline/core/DeliveryStore"
import { Directory } from "@dockline/core/Directory"
import { MemoryDatabase } from "@dockline/core/MemoryDatabase"
import { MessageLog } from "@dockline/core/MessageLog"
import { WebhookEndpointStore } from "@dockline/core/WebhookEndpointStore"
import { Layer } from "effect"
import { deliveryReplaySuite } from "../src/testing/DeliveryReplaySuite.ts"
import { deliverySettleSuite } from "../src/testing/DeliverySettleSuite.ts"
import { deliveryTakeSuite } from "../src/testing/DeliveryTakeSuite.ts"
import { webhookEndpointSuite } from "../src/testing/WebhookEndpointSuite.ts"

const base = Layer.empty

const stores = Layer.mergeAll(
  DeliveryStore.layerMemory,
  Directory.layerMemory,
  MessageLog.layerMemory,
  WebhookEndpointStore.layerMemory
).pipe(Layer.provide(MemoryDatabase.layer))

webhookEndpointSuite("webhook endpoints in memory", base, stores)
deliveryTakeSuite("what webhook endpoints get next, in memory", base, stores)
deliverySettleSuite("what becomes of deliveries, in memory", base, stores)
deliveryReplaySuite("replays of deliveries, in memory", base, stores)
