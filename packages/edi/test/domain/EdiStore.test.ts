import * as Memory from "@dockline/core/memory/Memory"
import { ediStoreSuite } from "@dockline/edi/suites/EdiStoreSuite"
import * as Suite from "@dockline/testing/Suite"
import { runner } from "../../../../test/support/Runner.ts"
import { edi } from "../../src/domain/EdiCapability.ts"

Suite.register(runner, ediStoreSuite, Memory.layerWith([edi]))
