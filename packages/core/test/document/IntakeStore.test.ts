import { runner } from "../../../../test/support/Runner.ts"
import * as Memory from "../../src/memory/Memory.ts"
import { intakeStoreSuite } from "../../src/testing/IntakeStoreSuite.ts"
import * as Suite from "../../src/testing/Suite.ts"

Suite.register(runner, intakeStoreSuite, Memory.layer)
