import { daySql } from "@dockline/sql-storage/day/DaySql"
import * as Sql from "@dockline/sql-storage/Sql"
import { dayStoreSuite } from "@dockline/testing/capabilities/day/DayStoreSuite"
import * as Suite from "@dockline/testing/Suite"
import { runner } from "../../../../test/support/Runner.ts"
import * as TestDatabase from "../../../../test/support/TestDatabase.ts"

Suite.register(runner, dayStoreSuite, Sql.layerWith([daySql]), TestDatabase.layer)
