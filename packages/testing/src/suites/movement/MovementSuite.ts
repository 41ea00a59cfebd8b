/**
 * The rules for shipments in motion, for every storage: pallet events, steps, completions, links, and all of them concurrently (D6).
 */
import { Intake } from "@dockline/core/document/Intake"
import { Pallets } from "@dockline/core/movement/Pallets"
import { Shipments } from "@dockline/core/movement/Shipments"
import { Layer } from "effect"
import { dashboardUrl } from "../../generators/Motion.ts"
import * as Suite from "../../Suite.ts"
import type { MovementStores } from "../../worlds/MovementWorld.ts"
import { movementTraces } from "../Traces.ts"
import { checkedDocuments, checkIns } from "./CheckInSuite.ts"
import { latePallets } from "./LateSuite.ts"
import { allOrNothing, wakeUps } from "./MovementAtomicitySuite.ts"
import { keeping } from "./MovementKeepingSuite.ts"
import { races } from "./MovementRacesSuite.ts"
import { palletReads } from "./PalletReadSuite.ts"
import { matching, palletsAndOrders, recording } from "./PalletSuite.ts"
import { discrepancies, progress } from "./ProgressSuite.ts"
import { scans } from "./ScanSuite.ts"
import { documentsMeanwhile, snapshots } from "./SnapshotSuite.ts"
import { cancellations, links, steps, stepTimes } from "./StepSuite.ts"

const services = Layer.mergeAll(
  Intake.layer(),
  Pallets.layer({ dashboardUrl }),
  Shipments.layer({ dashboardUrl: `${dashboardUrl}/` })
)

/** The suite of shipments in motion: of `MovementStore`, with the ports that it needs. */
export const movementSuite: Suite.Suite<MovementStores> = Suite.ofParts("shipments in motion", {
  snapshots,
  "documents meanwhile": documentsMeanwhile,
  recording,
  matching,
  "pallets and orders": palletsAndOrders,
  "pallets read": palletReads,
  steps,
  "times of steps": stepTimes,
  cancellations,
  "check-ins": checkIns,
  "documents with a check-in": checkedDocuments,
  links,
  progress,
  discrepancies,
  scans,
  "late pallets": latePallets,
  traces: movementTraces,
  "all or nothing": allOrNothing,
  "answers kept": keeping,
  "wake-ups": wakeUps,
  "all at once": races
}, services)
