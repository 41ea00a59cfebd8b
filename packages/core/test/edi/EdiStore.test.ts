import { ediStoreSuite } from "@dockline/testing/capabilities/edi/EdiStoreSuite"
import * as Suite from "@dockline/testing/Suite"
import { runner } from "../../../../test/support/Runner.ts"
import { edi } from "../../src/edi/EdiCapability.ts"
import * as Memory from "../../src/memory/Memory.ts"

Suite.register(runner, ediStoreSuite, Memory.layerWith([edi]))
