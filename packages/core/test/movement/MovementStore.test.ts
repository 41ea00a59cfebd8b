import { runner } from "../../../../test/support/Runner.ts"
import * as Memory from "../../src/memory/Memory.ts"
import * as Suite from "../../src/testing/Suite.ts"
import { movementSuite } from "../../src/testing/suites/movement/MovementSuite.ts"

Suite.register(runner, movementSuite, Memory.layer)
