import * as Suite from "@dockline/testing/Suite"
import { runner } from "../../../../test/support/Runner.ts"
import { edi } from "../../src/edi/EdiCapability.ts"
import * as Memory from "../../src/memory/Memory.ts"
import { ediOperatorSuite } from "./EdiOperators.ts"

Suite.register(runner, ediOperatorSuite, Memory.layerWith([edi]))
