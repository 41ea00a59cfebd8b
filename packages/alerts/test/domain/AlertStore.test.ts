/** The port of alerts in memory. */
import { alertStoreSuite } from "@dockline/alerts/suites/AlertStoreSuite"
import * as Memory from "@dockline/core/memory/Memory"
import * as Suite from "@dockline/testing/Suite"
import { runner } from "../../../../test/support/Runner.ts"
import { alerts } from "../../src/AlertCapability.ts"

Suite.register(runner, alertStoreSuite, Memory.layerWith([alerts]))
