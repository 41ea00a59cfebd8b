import { traceStoreSuite } from "@dockline/testing/capabilities/trace/TraceStoreSuite"
import * as Suite from "@dockline/testing/Suite"
import { runner } from "../../../../test/support/Runner.ts"
import * as Memory from "../../src/memory/Memory.ts"
import { trace } from "../../src/trace/TraceCapability.ts"

Suite.register(runner, traceStoreSuite, Memory.layerWith([trace]))
