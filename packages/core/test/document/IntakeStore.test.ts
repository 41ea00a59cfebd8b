import { runner } from "../../../../test/support/Runner.ts"
import * as Memory from "../../src/memory/Memory.ts"
import * as Suite from "../../src/testing/Suite.ts"
import { intakeStoreSuite } from "../../src/testing/suites/intake/IntakeStoreSuite.ts"

Suite.register(runner, intakeStoreSuite, Memory.layer)
