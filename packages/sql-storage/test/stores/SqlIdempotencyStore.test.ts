import * as Sql from "@dockline/sql-storage/Sql"
import * as Suite from "@dockline/testing/Suite"
import { idempotencyStoreSuite } from "@dockline/testing/suites/IdempotencyStoreSuite"
import { sessionStoreSuite } from "@dockline/testing/suites/SessionStoreSuite"
import { signingKeyStoreSuite } from "@dockline/testing/suites/SigningKeyStoreSuite"
import { runner } from "../../../../test/support/Runner.ts"
import * as TestDatabase from "../../../../test/support/TestDatabase.ts"

// A storage that is opened for each call: nothing that is kept is of its process.
Suite.register(runner, idempotencyStoreSuite, Suite.reopening(Sql.layer), TestDatabase.layer)
Suite.register(runner, sessionStoreSuite, Sql.layer, TestDatabase.layer)
Suite.register(runner, signingKeyStoreSuite, Sql.layer, TestDatabase.layer)
