/**
 * The rules for every storage of intake: the snapshot for a decision, the plan that is applied unchanged, completely or not at all, and
 * concurrent documents that behave as if they came one after another (D2.1, D3, D5.3).
 */
import * as Suite from "../../Suite.ts"
import type { IntakeStores } from "../../worlds/IntakeWorld.ts"
import { allOrNothing } from "./IntakeAtomicitySuite.ts"
import { fields } from "./IntakeFieldsSuite.ts"
import { keeping } from "./IntakeKeepingSuite.ts"
import { races } from "./IntakeRacesSuite.ts"
import { candidates, snapshots } from "./IntakeSnapshotSuite.ts"
import { applying, ids } from "./IntakeWritingSuite.ts"
import { looseItems } from "./LooseItemsSuite.ts"

/** The suite of `IntakeStore`, with the ports that it needs. */
export const intakeStoreSuite: Suite.Suite<IntakeStores> = Suite.ofParts("the storage of intake", {
  snapshots,
  candidates,
  fields,
  ids,
  applying,
  "items without an lpn": looseItems,
  "all or nothing": allOrNothing,
  "answers kept": keeping,
  "all at once": races
})
