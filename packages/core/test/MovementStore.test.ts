import * as Memory from "@dockline/core/Memory"
import { Layer } from "effect"
import { movementSuite } from "../src/testing/MovementSuite.ts"

movementSuite("shipments in motion in memory", Layer.empty, Memory.layer)
