/** The suites of the exchange on PostgreSQL. */
import { ediSql } from "@dockline/edi/storage/EdiSql"
import { ediDeliverySuite } from "@dockline/edi/suites/EdiDeliverySuite"
import { ediStoreSuite } from "@dockline/edi/suites/EdiStoreSuite"
import * as Sql from "@dockline/sql-storage/Sql"
import * as Suite from "@dockline/testing/Suite"
import { runner } from "../../../../test/support/Runner.ts"
import * as TestDatabase from "../../../../test/support/TestDatabase.ts"

for (const suite of [ediStoreSuite, ediDeliverySuite]) {
  Suite.register(runner, suite, Sql.layerWith([ediSql]), TestDatabase.layer)
}
