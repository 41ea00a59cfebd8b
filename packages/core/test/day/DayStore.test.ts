import * as Suite from "@dockline/testing/Suite"
import { dayStoreSuite } from "@dockline/testing/suites/day/DayStoreSuite"
import { runner } from "../../../../test/support/Runner.ts"
import { day } from "../../src/day/DayCapability.ts"
import * as Memory from "../../src/memory/Memory.ts"

Suite.register(runner, dayStoreSuite, Memory.layerWith([day]))
