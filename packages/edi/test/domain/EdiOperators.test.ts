import * as Memory from "@dockline/core/memory/Memory"
import * as Suite from "@dockline/testing/Suite"
import { runner } from "../../../../test/support/Runner.ts"
import { edi } from "../../src/domain/EdiCapability.ts"
import { ediOperatorSuite } from "./EdiOperators.ts"

Suite.register(runner, ediOperatorSuite, Memory.layerWith([edi]))
