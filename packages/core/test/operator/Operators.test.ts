import { runner } from "../../../../test/support/Runner.ts"
import * as Memory from "../../src/memory/Memory.ts"
import { clientStoreSuite } from "../../src/testing/ClientStoreSuite.ts"
import { directorySuite } from "../../src/testing/DirectorySuite.ts"
import { operatorSuite } from "../../src/testing/OperatorSuite.ts"
import * as Suite from "../../src/testing/Suite.ts"

Suite.register(runner, directorySuite, Memory.layer)
Suite.register(runner, clientStoreSuite, Memory.layer)
Suite.register(runner, operatorSuite, Memory.layer)
