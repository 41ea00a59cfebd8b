/** The suites also run on a storage that others use at the same time, and that earlier runs have used. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { ClientStore } from "../src/ClientStore.ts"
import { DeliveryStore } from "../src/DeliveryStore.ts"
import { Directory } from "../src/Directory.ts"
import { IdempotencyStore } from "../src/IdempotencyStore.ts"
import { IntakeStore } from "../src/IntakeStore.ts"
import { MemoryDatabase } from "../src/MemoryDatabase.ts"
import { MessageLog } from "../src/MessageLog.ts"
import { MovementStore } from "../src/MovementStore.ts"
import { ShipmentStore } from "../src/ShipmentStore.ts"
import { SigningKeyStore } from "../src/SigningKeyStore.ts"
import { storeSuites } from "../src/testing.ts"
import { deliveryStoreSuite } from "../src/testing/DeliveryStoreSuite.ts"
import { messageLogSuite } from "../src/testing/MessageLogSuite.ts"
import { aBusiness, aDraft, append, everythingOf, read } from "../src/testing/MessageLogWorld.ts"
import { signingKeyStoreSuite } from "../src/testing/SigningKeyStoreSuite.ts"
import * as Suite from "../src/testing/Suite.ts"
import { webhookEndpointStoreSuite } from "../src/testing/WebhookEndpointStoreSuite.ts"
import { WebhookEndpointStore } from "../src/WebhookEndpointStore.ts"

/** Stores in memory over a database that is given, and so shared by all cases. */
const stores = Layer.mergeAll(
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

/** The keys and the retention belong to the whole service, so these come one after another. */
const alone: typeof storeSuites = [
  signingKeyStoreSuite,
  messageLogSuite,
  webhookEndpointStoreSuite,
  deliveryStoreSuite
]

const together = storeSuites.filter((suite) => !alone.includes(suite))

describe("suites on one storage", () => {
  it.live(
    "do not meet each other, nor what they left behind, and leave what others have",
    () =>
      Effect.gen(function*() {
        const business = yield* Effect.provide(aBusiness, stores)
        const appended = yield* Effect.provide(append(aDraft(business, 1)), stores)
        const run = (suite: (typeof storeSuites)[number]) => Suite.run(suite, stores)
        const reports = yield* Effect.all(
          [...together.map(run), ...together.map(run), Effect.forEach([...alone, ...alone], run)],
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(reports.flat().flatMap(({ failed }) => failed), [])
        const { messages } = yield* Effect.provide(read(everythingOf(business)), stores)
        assert.deepStrictEqual(messages, appended)
      }).pipe(Effect.provide(MemoryDatabase.layer)),
    60_000
  )
})
