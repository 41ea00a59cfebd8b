/** The services over the stores in memory keep their laws. */
import { often, runner } from "../../../test/support/Runner.ts"
import * as Memory from "../src/Memory.ts"
import * as IntakeLaws from "../src/testing/IntakeLaws.ts"
import * as Law from "../src/testing/Law.ts"
import * as MovementLaws from "../src/testing/MovementLaws.ts"
import * as SerialLaws from "../src/testing/SerialLaws.ts"

Law.register(runner, "documents", IntakeLaws.everyLaw(Memory.layer), often)
Law.register(runner, "shipments in motion", MovementLaws.everyLaw(Memory.layer), often)
Law.register(runner, "documents at once", SerialLaws.everyLaw(Memory.layer), often)
