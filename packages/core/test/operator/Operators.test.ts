import { runner } from "../../../../test/support/Runner.ts"
import * as Memory from "../../src/memory/Memory.ts"
import * as Suite from "../../src/testing/Suite.ts"
import { auditLogSuite } from "../../src/testing/suites/AuditLogSuite.ts"
import { clientStoreSuite } from "../../src/testing/suites/ClientStoreSuite.ts"
import { directorySuite } from "../../src/testing/suites/DirectorySuite.ts"
import { personStoreSuite } from "../../src/testing/suites/PersonStoreSuite.ts"
import { operatorSuite } from "./OperatorSuite.ts"

Suite.register(runner, directorySuite, Memory.layer)
Suite.register(runner, clientStoreSuite, Memory.layer)
Suite.register(runner, personStoreSuite, Memory.layer)
Suite.register(runner, operatorSuite, Memory.layer)
Suite.register(runner, auditLogSuite, Memory.layer)
