import { runner } from "../../../../test/support/Runner.ts"
import * as Memory from "../../src/memory/Memory.ts"
import * as Suite from "../../src/testing/Suite.ts"
import { documentRecordSuite } from "../../src/testing/suites/intake/DocumentRecordSuite.ts"

Suite.register(runner, documentRecordSuite, Memory.layer)
