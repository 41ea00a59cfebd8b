import { skuStoreSuite } from "@dockline/testing/capabilities/skus/SkuStoreSuite"
import * as Suite from "@dockline/testing/Suite"
import { runner } from "../../../../test/support/Runner.ts"
import * as Memory from "../../src/memory/Memory.ts"
import { skus } from "../../src/skus/SkuCapability.ts"

Suite.register(runner, skuStoreSuite, Memory.layerWith([skus]))
