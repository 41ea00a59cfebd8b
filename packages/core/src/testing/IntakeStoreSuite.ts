/**
 * What holds for the storage of intake whatever it is: what a decision is told, that a plan is applied as it stands,
 * whole or not at all, and that documents at once behave as if they came one after another (D2.1, D3, D5.3).
 */
import type { IntakeStores } from "./IntakeWorld.ts"
import { allOrNothing } from "./internal/IntakeAtomicitySuite.ts"
import { fields } from "./internal/IntakeFieldsSuite.ts"
import { races } from "./internal/IntakeRaceSuite.ts"
import { candidates, snapshots } from "./internal/IntakeSnapshotSuite.ts"
import { applying, ids } from "./internal/IntakeWritingSuite.ts"
import * as Suite from "./Suite.ts"

const parts = {
  snapshots,
  candidates,
  fields,
  ids,
  applying,
  "all or nothing": allOrNothing,
  "all at once": races
}

/** The suite of `IntakeStore`, with the ports that it goes together with. */
export const intakeStoreSuite: Suite.Suite<IntakeStores> = Suite.make(
  "the storage of intake",
  ({ describe, test }) => {
    for (const [name, write] of Object.entries(parts)) describe(name, () => write(test))
  }
)
