/**
 * Pallet events: the service that every adapter calls to record that a pallet has crossed a dock (D6.1–4).
 */
import { Context, Effect, Layer, Metric } from "effect"
import { allows } from "../access/Access.ts"
import type { Principal } from "../access/Access.ts"
import { countAppended } from "../messages/Message.ts"
import { Directory } from "../places/Directory.ts"
import { BusinessNotFound, FacilityNotFound, Forbidden } from "../values/Errors.ts"
import type { StorageUnavailable } from "../values/Errors.ts"
import * as Metrics from "../values/Metrics.ts"
import { dashboardOf, decidePallet, defaultMovementConfig } from "./Movement.ts"
import type { MovementConfig, PalletRefusal } from "./Movement.ts"
import { MovementStore } from "./MovementStore.ts"
import { textOf } from "./Pallet.ts"
import type { PalletAnswer, PalletEvent } from "./Pallet.ts"

/** Why a well-formed pallet event is refused. */
export type PalletError = PalletRefusal | StorageUnavailable

const events = Metrics.counter("dockline_pallet_events_total", "Pallet events by what became of them", [
  ["outcome", ["recorded", "repeated", ...Metrics.refusals]]
])

/** Pallet events. */
export class Pallets extends Context.Service<Pallets, {
  /** Records an event on behalf of a client, or finds that it is recorded already. */
  readonly record: (
    event: PalletEvent,
    principal: Principal
  ) => Effect.Effect<{ readonly answer: PalletAnswer; readonly repeated: boolean }, PalletError>
}>()("@dockline/core/Pallets") {
  /** Pallet events over the stores. */
  static readonly layer = (
    config: MovementConfig = defaultMovementConfig
  ): Layer.Layer<Pallets, never, MovementStore | Directory> =>
    Layer.effect(
      Pallets,
      Effect.gen(function*() {
        const store = yield* MovementStore
        const directory = yield* Directory
        const dashboardUrl = dashboardOf(config)

        /** A client without the permission learns whether the place exists before it is refused, and takes no lock. */
        const refuse = Effect.fnUntraced(function*(business: string, facility: string) {
          const named = yield* directory.lookup(business, facility)
          if (named.business === null) return yield* new BusinessNotFound({ business })
          if (named.facility === null) return yield* new FacilityNotFound({ business, facility })
          return yield* new Forbidden({ permission: "pallets:write", business, facility })
        })

        const record = Effect.fn("Pallets.record")(function*(event: PalletEvent, principal: Principal) {
          const { business, facility } = event
          if (!allows(principal, "pallets:write", business, facility)) {
            return yield* refuse(business, facility)
          }
          const text = textOf(event)
          const context = { principal, dashboardUrl, text }
          return yield* store.recordPallet(event, text, (snapshot) => decidePallet(event, snapshot, context))
        })

        return Pallets.of({
          record: (event, principal) =>
            Metrics.outcomes(record(event, principal), events.of, ({ repeated }) =>
              repeated
                ? Metric.update(events.of("repeated"), 1)
                : Effect.andThen(Metric.update(events.of("recorded"), 1), countAppended("PALLET_EVENT")))
        })
      })
    )
}
