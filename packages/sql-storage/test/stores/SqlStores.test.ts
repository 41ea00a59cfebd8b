/** The stores on PostgreSQL about which there is no more to say than their suites do. */
import * as Sql from "@dockline/sql-storage/Sql"
import * as Testing from "@dockline/testing"
import { runner } from "../../../../test/support/Runner.ts"
import * as TestDatabase from "../../../../test/support/TestDatabase.ts"

for (
  const suite of [
    Testing.directorySuite,
    Testing.clientStoreSuite,
    Testing.personStoreSuite,
    Testing.sessionStoreSuite,
    Testing.signingKeyStoreSuite
  ]
) Testing.Suite.register(runner, suite, Sql.layer, TestDatabase.layer)

// A storage that is opened for each call: nothing that is kept is of its process.
Testing.Suite.register(
  runner,
  Testing.idempotencyStoreSuite,
  Testing.Suite.reopening(Sql.layer),
  TestDatabase.layer
)
