import { Layer } from "effect"
import { runner } from "../../../../test/support/Runner.ts"
import * as Memory from "../../src/memory/Memory.ts"
import { MemoryDatabase } from "../../src/memory/MemoryDatabase.ts"
import { followSuite } from "../../src/testing/FollowSuite.ts"
import { messageLogSuite } from "../../src/testing/MessageLogSuite.ts"
import * as Suite from "../../src/testing/Suite.ts"

const stores = Layer.mergeAll(Memory.layers.Directory, Memory.layers.MessageLog).pipe(
  Layer.provide(MemoryDatabase.layer)
)

Suite.register(runner, messageLogSuite, stores)
Suite.register(runner, followSuite, stores)
