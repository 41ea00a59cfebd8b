/** The suite of EPCIS on PostgreSQL. */
import { epcisSql } from "@dockline/epcis/storage/EpcisSql"
import { epcisStoreSuite } from "@dockline/epcis/suites/EpcisStoreSuite"
import * as Sql from "@dockline/sql-storage/Sql"
import * as Suite from "@dockline/testing/Suite"
import { runner } from "../../../../test/support/Runner.ts"
import * as TestDatabase from "../../../../test/support/TestDatabase.ts"

Suite.register(runner, epcisStoreSuite, Sql.layerWith([epcisSql]), TestDatabase.layer)
