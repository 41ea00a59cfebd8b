/** The suite of alerts on PostgreSQL. */
import { alertsSql } from "@dockline/alerts/storage/AlertSql"
import { alertStoreSuite } from "@dockline/alerts/suites/AlertStoreSuite"
import * as Sql from "@dockline/sql-storage/Sql"
import * as Suite from "@dockline/testing/Suite"
import { runner } from "../../../../test/support/Runner.ts"
import * as TestDatabase from "../../../../test/support/TestDatabase.ts"

Suite.register(runner, alertStoreSuite, Sql.layerWith([alertsSql]), TestDatabase.layer)
