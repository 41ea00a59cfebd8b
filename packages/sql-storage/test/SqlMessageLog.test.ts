import { Announcer } from "@dockline/sql-storage/Announcer"
import * as SqlDirectory from "@dockline/sql-storage/SqlDirectory"
import * as SqlMessageLog from "@dockline/sql-storage/SqlMessageLog"
import { Layer } from "effect"
import * as TestDatabase from "../../../test/support/TestDatabase.ts"
import { followSuite } from "../../core/test/FollowSuite.ts"
import { messageLogSuite } from "../../core/test/MessageLogSuite.ts"

const base = Layer.orDie(TestDatabase.layer)

const stores = Layer.mergeAll(SqlDirectory.layer, SqlMessageLog.layer).pipe(Layer.provide(Announcer.layer))

messageLogSuite("the message log on PostgreSQL", base, stores)
followSuite("following the message log on PostgreSQL", base, stores)
