/**
 * The service with which every adapter records that a pallet has crossed a dock (D6.1–4).
 */
import { Context, Effect, Layer, Metric } from "effect"
import type { Authorized, Principal } from "../access/Access.ts"
import { countAppended } from "../messages/Message.ts"
import * as Authorize from "../places/Authorize.ts"
import { Directory } from "../places/Directory.ts"
import * as Metrics from "../values/Metrics.ts"
import { dashboardOf, decidePallet, defaultMovementConfig } from "./Movement.ts"
import type { MovementConfig } from "./Movement.ts"
import type { PalletError } from "./MovementErrors.ts"
import { MovementStore } from "./MovementStore.ts"
import { textOf } from "./Pallet.ts"
import type { PalletEvent, RecordedEvent } from "./Pallet.ts"

const events = Metrics.counter("dockline_pallet_events_total", "Pallet events by what became of them", [
  ["outcome", ["recorded", "repeated", ...Metrics.refusals]]
])

/** Records pallet events. */
export class Pallets extends Context.Service<Pallets, {
  /** Records an event for a client, or finds that it is already recorded. */
  readonly record: Authorized<[event: PalletEvent], RecordedEvent, PalletError>
}>()("@dockline/core/Pallets") {
  /** Records pallet events in the store. */
  static readonly layer = (
    config: MovementConfig = defaultMovementConfig
  ): Layer.Layer<Pallets, never, MovementStore | Directory> =>
    Layer.effect(
      Pallets,
      Effect.gen(function*() {
        const store = yield* MovementStore
        const directory = yield* Directory
        const dashboardUrl = dashboardOf(config)

        const record = Effect.fn("Pallets.record")(function*(event: PalletEvent, principal: Principal) {
          yield* Authorize.permission(directory, principal, "pallets:write", event)
          const text = textOf(event)
          const context = { dashboardUrl, text }
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
