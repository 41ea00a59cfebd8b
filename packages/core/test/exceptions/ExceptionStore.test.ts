import { runner } from "../../../../test/support/Runner.ts"
import * as Memory from "../../src/memory/Memory.ts"
import * as Suite from "../../src/testing/Suite.ts"
import { exceptionStoreSuite } from "../../src/testing/suites/ExceptionStoreSuite.ts"

Suite.register(runner, exceptionStoreSuite, Memory.layer)
