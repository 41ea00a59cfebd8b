import * as Sql from "@dockline/sql-storage/Sql"
import { traceSql } from "@dockline/sql-storage/trace/TraceSql"
import { traceStoreSuite } from "@dockline/testing/capabilities/trace/TraceStoreSuite"
import * as Suite from "@dockline/testing/Suite"
import { runner } from "../../../../test/support/Runner.ts"
import * as TestDatabase from "../../../../test/support/TestDatabase.ts"

Suite.register(runner, traceStoreSuite, Sql.layerWith([traceSql]), TestDatabase.layer)
