/** The storage in memory keeps its guarantees with two instances over one database, and when it is opened for each call. */
import * as Memory from "@dockline/core/memory/Memory"
import { MemoryDatabase } from "@dockline/core/memory/MemoryDatabase"
import { describe } from "vitest"
import { runner } from "../../../test/support/Runner.ts"
import { followSuite, intakeStoreSuite, messageLogSuite, movementSuite, Suite } from "../src/index.ts"

const { alternating, reopening } = Suite

for (
  const [name, instances, suites] of [
    ["two instances", alternating, [intakeStoreSuite, movementSuite, messageLogSuite]],
    ["a storage that is opened for each call", reopening, [
      intakeStoreSuite,
      movementSuite,
      messageLogSuite,
      followSuite
    ]]
  ] as const
) {
  describe(name, () => {
    for (const suite of suites) {
      Suite.register(runner, suite, instances(Memory.layerOverDatabase), MemoryDatabase.layer)
    }
  })
}
