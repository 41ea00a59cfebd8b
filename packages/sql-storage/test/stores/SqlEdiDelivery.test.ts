import * as Suite from "@dockline/testing/Suite"
import { ediDeliverySuite } from "@dockline/testing/suites/delivery/EdiDeliverySuite"
import { runner } from "../../../../test/support/Runner.ts"
import * as TestDatabase from "../../../../test/support/TestDatabase.ts"
import * as Sql from "../../src/Sql.ts"

Suite.register(runner, ediDeliverySuite, Sql.layer, TestDatabase.layer)
