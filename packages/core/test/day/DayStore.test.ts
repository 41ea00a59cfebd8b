import { dayStoreSuite } from "@dockline/testing/capabilities/day/DayStoreSuite"
import * as Suite from "@dockline/testing/Suite"
import { runner } from "../../../../test/support/Runner.ts"
import { day } from "../../src/day/DayCapability.ts"
import * as Memory from "../../src/memory/Memory.ts"

Suite.register(runner, dayStoreSuite, Memory.layerWith([day]))
