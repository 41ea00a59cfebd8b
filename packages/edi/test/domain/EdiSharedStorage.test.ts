/** The suites of EDI also run on a storage that the suites of the contract use at the same time. */
import * as Memory from "@dockline/core/memory/Memory"
import { MemoryDatabase } from "@dockline/core/memory/MemoryDatabase"
import { ediDeliverySuite } from "@dockline/edi/suites/EdiDeliverySuite"
import { ediStoreSuite } from "@dockline/edi/suites/EdiStoreSuite"
import { storeSuites } from "@dockline/testing"
import { deliveryStoreSuite } from "@dockline/testing/suites/delivery/DeliveryStoreSuite"
import { messageLogSuite } from "@dockline/testing/suites/MessageLogSuite"
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { failuresOf } from "../../../core/test/memory/SharedStorage.ts"
import { edi } from "../../src/domain/EdiCapability.ts"
import { ediOperatorSuite } from "./EdiOperators.ts"

const stores = Layer.merge(Memory.layerOverDatabase, edi.memory)

/** These suites change the retention of the whole service, so they run one after another. */
const alone: typeof storeSuites = [messageLogSuite, deliveryStoreSuite]

it.live(
  "suites of EDI on one storage do not meet each other, nor those of the contract",
  () =>
    Effect.gen(function*() {
      const together = [ediDeliverySuite, ediStoreSuite, ediOperatorSuite]
      assert.deepStrictEqual(yield* failuresOf(stores, together, alone), [])
    }).pipe(Effect.provide(MemoryDatabase.layer)),
  240_000
)
