import * as Suite from "@dockline/testing/Suite"
import { exceptionStoreSuite } from "@dockline/testing/suites/ExceptionStoreSuite"
import { runner } from "../../../../test/support/Runner.ts"
import * as Memory from "../../src/memory/Memory.ts"

Suite.register(runner, exceptionStoreSuite, Memory.layer)
