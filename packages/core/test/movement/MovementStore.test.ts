import { runner } from "../../../../test/support/Runner.ts"
import * as Memory from "../../src/memory/Memory.ts"
import { movementSuite } from "../../src/testing/MovementSuite.ts"
import * as Suite from "../../src/testing/Suite.ts"

Suite.register(runner, movementSuite, Memory.layer)
