import { Announcer } from "@dockline/sql-storage/connections/Announcer"
import * as SqlDirectory from "@dockline/sql-storage/stores/SqlDirectory"
import * as SqlMessageLog from "@dockline/sql-storage/stores/SqlMessageLog"
import * as Suite from "@dockline/testing/Suite"
import { followSuite } from "@dockline/testing/suites/FollowSuite"
import { messageLogSuite } from "@dockline/testing/suites/MessageLogSuite"
import { Layer } from "effect"
import { runner } from "../../../../test/support/Runner.ts"
import * as TestDatabase from "../../../../test/support/TestDatabase.ts"

const stores = Layer.mergeAll(SqlDirectory.layer, SqlMessageLog.layer).pipe(Layer.provide(Announcer.layer))

Suite.register(runner, messageLogSuite, stores, TestDatabase.layer)
Suite.register(runner, followSuite, stores, TestDatabase.layer)
