import * as Suite from "@dockline/testing/Suite"
import { clientStoreSuite } from "@dockline/testing/suites/AccessStoreSuites"
import { auditLogSuite } from "@dockline/testing/suites/AuditLogSuite"
import { directorySuite } from "@dockline/testing/suites/DirectorySuite"
import { personStoreSuite } from "@dockline/testing/suites/PersonStoreSuite"
import { runner } from "../../../../test/support/Runner.ts"
import * as Memory from "../../src/memory/Memory.ts"
import { operatorSuite } from "./OperatorSuite.ts"

Suite.register(runner, directorySuite, Memory.layer)
Suite.register(runner, clientStoreSuite, Memory.layer)
Suite.register(runner, personStoreSuite, Memory.layer)
Suite.register(runner, operatorSuite, Memory.layer)
Suite.register(runner, auditLogSuite, Memory.layer)
