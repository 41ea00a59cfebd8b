import * as Sql from "@dockline/sql-storage/Sql"
import * as Suite from "@dockline/testing/Suite"
import { clientStoreSuite } from "@dockline/testing/suites/ClientStoreSuite"
import { directorySuite } from "@dockline/testing/suites/DirectorySuite"
import { personStoreSuite } from "@dockline/testing/suites/PersonStoreSuite"
import { runner } from "../../../test/support/Runner.ts"
import * as TestDatabase from "../../../test/support/TestDatabase.ts"

Suite.register(runner, directorySuite, Sql.layer, TestDatabase.layer)
Suite.register(runner, clientStoreSuite, Sql.layer, TestDatabase.layer)
Suite.register(runner, personStoreSuite, Sql.layer, TestDatabase.layer)
