import * as Sql from "@dockline/sql-storage/Sql"
import * as Suite from "@dockline/testing/Suite"
import { followSuite } from "@dockline/testing/suites/FollowSuite"
import { messageLogSuite } from "@dockline/testing/suites/MessageLogSuite"
import { runner } from "../../../../test/support/Runner.ts"
import * as TestDatabase from "../../../../test/support/TestDatabase.ts"

Suite.register(runner, messageLogSuite, Sql.layer, TestDatabase.layer)
Suite.register(runner, followSuite, Sql.layer, TestDatabase.layer)
