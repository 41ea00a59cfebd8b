/** The port of EPCIS in memory. */
import * as Memory from "@dockline/core/memory/Memory"
import { epcisStoreSuite } from "@dockline/epcis/suites/EpcisStoreSuite"
import * as Suite from "@dockline/testing/Suite"
import { runner } from "../../../../test/support/Runner.ts"
import { epcis } from "../../src/EpcisCapability.ts"

Suite.register(runner, epcisStoreSuite, Memory.layerWith([epcis]))
