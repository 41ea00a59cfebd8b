import * as Suite from "@dockline/testing/Suite"
import { ediDeliverySuite } from "@dockline/testing/suites/delivery/EdiDeliverySuite"
import { runner } from "../../../../test/support/Runner.ts"
import * as Memory from "../../src/memory/Memory.ts"

Suite.register(runner, ediDeliverySuite, Memory.layer)
