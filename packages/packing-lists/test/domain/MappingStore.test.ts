/** The port of mappings in memory. */
import * as Memory from "@dockline/core/memory/Memory"
import { mappingStoreSuite } from "@dockline/packing-lists/suites/MappingStoreSuite"
import * as Suite from "@dockline/testing/Suite"
import { runner } from "../../../../test/support/Runner.ts"
import { packingLists } from "../../src/PackingListCapability.ts"

Suite.register(runner, mappingStoreSuite, Memory.layerWith([packingLists]))
