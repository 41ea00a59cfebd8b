/** The suites also run on a storage that others use at the same time, and that earlier runs have used. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Directory } from "../src/Directory.ts"
import { IdempotencyStore } from "../src/IdempotencyStore.ts"
import { IntakeStore } from "../src/IntakeStore.ts"
import { MemoryDatabase } from "../src/MemoryDatabase.ts"
import { MessageLog } from "../src/MessageLog.ts"
import { MovementStore } from "../src/MovementStore.ts"
import { ShipmentStore } from "../src/ShipmentStore.ts"
import { SigningKeyStore } from "../src/SigningKeyStore.ts"
import { followSuite } from "../src/testing/FollowSuite.ts"
import { idempotencyStoreSuite } from "../src/testing/IdempotencyStoreSuite.ts"
import { intakeStoreSuite } from "../src/testing/IntakeStoreSuite.ts"
import { messageLogSuite } from "../src/testing/MessageLogSuite.ts"
import { movementSuite } from "../src/testing/MovementSuite.ts"
import { shipmentStoreSuite } from "../src/testing/ShipmentStoreSuite.ts"
import { signingKeyStoreSuite } from "../src/testing/SigningKeyStoreSuite.ts"
import * as Suite from "../src/testing/Suite.ts"

/** Stores in memory over a database that is given, and so shared by all cases. */
const stores = Layer.mergeAll(
  Directory.layerMemory,
  IdempotencyStore.layerMemory,
  IntakeStore.layerMemory,
  MessageLog.layerMemory,
  MovementStore.layerMemory,
  ShipmentStore.layerMemory,
  SigningKeyStore.layerMemory
)

/** The keys and the retention belong to the whole service, so these two come one after another. */
const alone = [signingKeyStoreSuite, messageLogSuite]

const together = [intakeStoreSuite, movementSuite, shipmentStoreSuite, idempotencyStoreSuite, followSuite]

describe("suites on one storage", () => {
  it.live("do not meet each other, nor what they left behind", () =>
    Effect.gen(function*() {
      const run = (suite: Suite.Suite<Layer.Success<typeof stores>>) => Suite.run(suite, stores)
      const reports = yield* Effect.all(
        [...together.map(run), ...together.map(run), Effect.forEach([...alone, ...alone], run)],
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(reports.flat().flatMap(({ failed }) => failed), [])
    }).pipe(Effect.provide(MemoryDatabase.layer)), 60_000)
})
