import * as Suite from "@dockline/core/testing/Suite"
import { idempotencyStoreSuite } from "@dockline/core/testing/suites/IdempotencyStoreSuite"
import { sessionStoreSuite } from "@dockline/core/testing/suites/SessionStoreSuite"
import { signingKeyStoreSuite } from "@dockline/core/testing/suites/SigningKeyStoreSuite"
import * as Sql from "@dockline/sql-storage/Sql"
import { runner } from "../../../../test/support/Runner.ts"
import * as TestDatabase from "../../../../test/support/TestDatabase.ts"

// A storage that is opened for each call: nothing that is kept is of its process.
Suite.register(runner, idempotencyStoreSuite, Suite.reopening(Sql.layer), TestDatabase.layer)
Suite.register(runner, sessionStoreSuite, Sql.layer, TestDatabase.layer)
Suite.register(runner, signingKeyStoreSuite, Sql.layer, TestDatabase.layer)
