import * as Suite from "@dockline/testing/Suite"
import { movementSuite } from "@dockline/testing/suites/movement/MovementSuite"
import { runner } from "../../../../test/support/Runner.ts"
import * as Memory from "../../src/memory/Memory.ts"

Suite.register(runner, movementSuite, Memory.layer)
