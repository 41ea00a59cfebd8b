import * as Suite from "@dockline/core/testing/Suite"
import { clientStoreSuite } from "@dockline/core/testing/suites/ClientStoreSuite"
import { directorySuite } from "@dockline/core/testing/suites/DirectorySuite"
import { personStoreSuite } from "@dockline/core/testing/suites/PersonStoreSuite"
import * as Sql from "@dockline/sql-storage/Sql"
import { runner } from "../../../test/support/Runner.ts"
import * as TestDatabase from "../../../test/support/TestDatabase.ts"

Suite.register(runner, directorySuite, Sql.layer, TestDatabase.layer)
Suite.register(runner, clientStoreSuite, Sql.layer, TestDatabase.layer)
Suite.register(runner, personStoreSuite, Sql.layer, TestDatabase.layer)
