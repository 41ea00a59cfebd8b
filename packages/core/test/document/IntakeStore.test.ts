import * as Suite from "@dockline/testing/Suite"
import { intakeStoreSuite } from "@dockline/testing/suites/intake/IntakeStoreSuite"
import { runner } from "../../../../test/support/Runner.ts"
import * as Memory from "../../src/memory/Memory.ts"

Suite.register(runner, intakeStoreSuite, Memory.layer)
