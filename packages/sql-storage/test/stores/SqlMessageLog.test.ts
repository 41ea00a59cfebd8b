import * as Suite from "@dockline/core/testing/Suite"
import { followSuite } from "@dockline/core/testing/suites/FollowSuite"
import { messageLogSuite } from "@dockline/core/testing/suites/MessageLogSuite"
import { Announcer } from "@dockline/sql-storage/connections/Announcer"
import * as SqlDirectory from "@dockline/sql-storage/stores/SqlDirectory"
import * as SqlMessageLog from "@dockline/sql-storage/stores/SqlMessageLog"
import { Layer } from "effect"
import { runner } from "../../../../test/support/Runner.ts"
import * as TestDatabase from "../../../../test/support/TestDatabase.ts"

const stores = Layer.mergeAll(SqlDirectory.layer, SqlMessageLog.layer).pipe(Layer.provide(Announcer.layer))

Suite.register(runner, messageLogSuite, stores, TestDatabase.layer)
Suite.register(runner, followSuite, stores, TestDatabase.layer)
