/** The suite of telling people, in memory. */
import { exceptions } from "@dockline/core/exceptions/ExceptionCapability"
import * as Memory from "@dockline/core/memory/Memory"
import * as Suite from "@dockline/testing/Suite"
import { runner } from "../../../../test/support/Runner.ts"
import { alerts } from "../../src/AlertCapability.ts"
import { tellingSuite } from "./Telling.ts"

Suite.register(runner, tellingSuite, Memory.layerWith([exceptions, alerts]))
