import { followSuite } from "@dockline/core/testing/FollowSuite"
import { messageLogSuite } from "@dockline/core/testing/MessageLogSuite"
import * as Suite from "@dockline/core/testing/Suite"
import { Announcer } from "@dockline/sql-storage/Announcer"
import * as SqlDirectory from "@dockline/sql-storage/SqlDirectory"
import * as SqlMessageLog from "@dockline/sql-storage/SqlMessageLog"
import { Layer } from "effect"
import { runner } from "../../../../test/support/Runner.ts"
import * as TestDatabase from "../../../../test/support/TestDatabase.ts"

const stores = Layer.mergeAll(SqlDirectory.layer, SqlMessageLog.layer).pipe(Layer.provide(Announcer.layer))

Suite.register(runner, messageLogSuite, stores, TestDatabase.layer)
Suite.register(runner, followSuite, stores, TestDatabase.layer)
