/**
 * What holds for shipments in motion whatever they are stored in. Every test has a business of its own, so that the
 * suite also runs on a database that others use.
 */
import { layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Intake } from "../Intake.ts"
import { Pallets } from "../Pallets.ts"
import { Shipments } from "../Shipments.ts"
import { dashboardUrl } from "./Motion.ts"
import type { AddTest, MovementStores } from "./MovementWorld.ts"
import { matching, palletsAndOrders, recording } from "./PalletSuite.ts"
import { races } from "./RaceSuite.ts"
import { fieldMaps, snapshots } from "./SnapshotSuite.ts"
import { completion, links, steps } from "./StepSuite.ts"

const services = Layer.mergeAll(
  Intake.layer(),
  Pallets.layer({ dashboardUrl }),
  Shipments.layer({ dashboardUrl: `${dashboardUrl}/` })
)

/** The suite over `stores`, which are built anew for each test over the one `base`. */
export const movementSuite = <R>(
  name: string,
  base: Layer.Layer<R>,
  stores: Layer.Layer<MovementStores, never, R>
): void =>
  layer(base, { excludeTestServices: true })(name, (it) => {
    const test: AddTest = (title, program) => {
      it.effect(title, () =>
        Effect.provide(program, Layer.fresh(Layer.provideMerge(services, stores)), { local: true }))
    }
    const suites = [
      fieldMaps,
      snapshots,
      recording,
      matching,
      palletsAndOrders,
      steps,
      completion,
      links,
      races
    ]
    for (const suite of suites) {
      suite(test)
    }
  })
