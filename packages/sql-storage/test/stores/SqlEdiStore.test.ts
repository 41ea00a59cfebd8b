import * as Suite from "@dockline/testing/Suite"
import { ediStoreSuite } from "@dockline/testing/suites/EdiStoreSuite"
import { runner } from "../../../../test/support/Runner.ts"
import * as TestDatabase from "../../../../test/support/TestDatabase.ts"
import * as Sql from "../../src/Sql.ts"

Suite.register(runner, ediStoreSuite, Sql.layer, TestDatabase.layer)
