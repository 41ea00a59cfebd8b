/** A reader's own test file: the suites and laws of `@dockline/testing` under `node:test`. */
export const storesProgram = `
import * as Memory from "@dockline/core/memory/Memory"
import { append } from "@dockline/core/document/Strategy"
import { messageLogSuite, storeSuites, Suite } from "@dockline/testing"
import { Law, StrategyLaws } from "@dockline/testing/Laws"
import * as Postgres from "@dockline/sql-storage/Postgres"
import * as Sql from "@dockline/sql-storage/Sql"
import { after, describe, it } from "node:test"

const runner = { describe, it, afterAll: after }

Law.register(runner, "APPEND", [...StrategyLaws.everyStrategy(append), ...StrategyLaws.append(append)])
for (const suite of storeSuites) Suite.register(runner, suite, Memory.layer)
Suite.register(runner, messageLogSuite, Sql.layer, Postgres.layerEmbedded({ directory: process.env["DATA"] ?? "data" }))
`
