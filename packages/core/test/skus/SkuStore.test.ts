import * as Suite from "@dockline/testing/Suite"
import { skuStoreSuite } from "@dockline/testing/suites/SkuStoreSuite"
import { runner } from "../../../../test/support/Runner.ts"
import * as Memory from "../../src/memory/Memory.ts"

Suite.register(runner, skuStoreSuite, Memory.layer)
