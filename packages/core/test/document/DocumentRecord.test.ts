import * as Suite from "@dockline/testing/Suite"
import { documentRecordSuite } from "@dockline/testing/suites/intake/DocumentRecordSuite"
import { runner } from "../../../../test/support/Runner.ts"
import * as Memory from "../../src/memory/Memory.ts"

Suite.register(runner, documentRecordSuite, Memory.layer)
