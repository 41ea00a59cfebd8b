import * as Suite from "@dockline/core/testing/Suite"
import { shipmentStoreSuite } from "@dockline/core/testing/suites/ShipmentStoreSuite"
import * as Sql from "@dockline/sql-storage/Sql"
import { runner } from "../../../../test/support/Runner.ts"
import * as TestDatabase from "../../../../test/support/TestDatabase.ts"

Suite.register(runner, shipmentStoreSuite, Sql.layer, TestDatabase.layer)
