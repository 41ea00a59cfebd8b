import * as Suite from "@dockline/testing/Suite"
import { followSuite } from "@dockline/testing/suites/FollowSuite"
import { messageLogSuite } from "@dockline/testing/suites/MessageLogSuite"
import { Layer } from "effect"
import { runner } from "../../../../test/support/Runner.ts"
import * as Memory from "../../src/memory/Memory.ts"
import { MemoryDatabase } from "../../src/memory/MemoryDatabase.ts"

const stores = Layer.mergeAll(Memory.layers.Directory, Memory.layers.MessageLog).pipe(
  Layer.provide(MemoryDatabase.layer)
)

Suite.register(runner, messageLogSuite, stores)
Suite.register(runner, followSuite, stores)
