/** The suites also run on a storage that others use at the same time, and that earlier runs have used. */
import { storeSuites } from "@dockline/testing"
import { signingKeyStoreSuite } from "@dockline/testing/suites/AccessStoreSuites"
import { deliveryStoreSuite } from "@dockline/testing/suites/delivery/DeliveryStoreSuite"
import { messageLogSuite } from "@dockline/testing/suites/MessageLogSuite"
import { webhookEndpointStoreSuite } from "@dockline/testing/suites/WebhookEndpointStoreSuite"
import { aBusiness, aDraft, append, everythingOf, read } from "@dockline/testing/worlds/MessageLogWorld"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Memory from "../../src/memory/Memory.ts"
import { MemoryDatabase } from "../../src/memory/MemoryDatabase.ts"
import { operatorSuite } from "../operator/OperatorSuite.ts"
import { failuresOf } from "./SharedStorage.ts"

/** The keys and the retention belong to the whole service, so these come one after another. */
const alone: typeof storeSuites = [
  signingKeyStoreSuite,
  messageLogSuite,
  webhookEndpointStoreSuite,
  deliveryStoreSuite
]

const together = [...storeSuites.filter((suite) => !alone.includes(suite)), operatorSuite]

describe("suites on one storage", () => {
  it.live(
    "do not meet each other, nor what they left behind, and leave what others have",
    () =>
      Effect.gen(function*() {
        const business = yield* Effect.provide(aBusiness, Memory.layerOverDatabase)
        const newMessages = yield* Effect.provide(append(aDraft(business, 1)), Memory.layerOverDatabase)
        assert.deepStrictEqual(yield* failuresOf(Memory.layerOverDatabase, together, alone), [])
        const { messages } = yield* Effect.provide(read(everythingOf(business)), Memory.layerOverDatabase)
        assert.deepStrictEqual(messages, newMessages)
      }).pipe(Effect.provide(MemoryDatabase.layer)),
    240_000
  )
})
