import { clientStoreSuite } from "@dockline/core/testing/ClientStoreSuite"
import { directorySuite } from "@dockline/core/testing/DirectorySuite"
import { operatorSuite } from "@dockline/core/testing/OperatorSuite"
import * as Suite from "@dockline/core/testing/Suite"
import * as Sql from "@dockline/sql-storage/Sql"
import { runner } from "../../../test/support/Runner.ts"
import * as TestDatabase from "../../../test/support/TestDatabase.ts"

Suite.register(runner, directorySuite, Sql.layer, TestDatabase.layer)
Suite.register(runner, clientStoreSuite, Sql.layer, TestDatabase.layer)
Suite.register(runner, operatorSuite, Sql.layer, TestDatabase.layer)
