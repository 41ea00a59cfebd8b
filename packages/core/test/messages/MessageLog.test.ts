import { Layer } from "effect"
import { runner } from "../../../../test/support/Runner.ts"
import * as Memory from "../../src/memory/Memory.ts"
import { MemoryDatabase } from "../../src/memory/MemoryDatabase.ts"
import * as Suite from "../../src/testing/Suite.ts"
import { followSuite } from "../../src/testing/suites/FollowSuite.ts"
import { messageLogSuite } from "../../src/testing/suites/MessageLogSuite.ts"

const stores = Layer.mergeAll(Memory.layers.Directory, Memory.layers.MessageLog).pipe(
  Layer.provide(MemoryDatabase.layer)
)

Suite.register(runner, messageLogSuite, stores)
Suite.register(runner, followSuite, stores)
