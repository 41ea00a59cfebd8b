/** The publishing of events in memory. */
import * as Memory from "@dockline/core/memory/Memory"
import * as Suite from "@dockline/testing/Suite"
import { runner } from "../../../../test/support/Runner.ts"
import { epcis } from "../../src/EpcisCapability.ts"
import { publishingSuite } from "./Publishing.ts"

Suite.register(runner, publishingSuite, Memory.layerWith([epcis]))
