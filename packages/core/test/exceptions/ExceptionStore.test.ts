import { exceptionStoreSuite } from "@dockline/testing/capabilities/exceptions/ExceptionStoreSuite"
import * as Suite from "@dockline/testing/Suite"
import { runner } from "../../../../test/support/Runner.ts"
import { exceptions } from "../../src/exceptions/ExceptionCapability.ts"
import * as Memory from "../../src/memory/Memory.ts"

Suite.register(runner, exceptionStoreSuite, Memory.layerWith([exceptions]))
