/**
 * Writing what has become of deliveries, for all couriers of this process together.
 */
import type { DeliveryStore } from "@dockline/core/DeliveryStore"
import { fromMillis } from "@dockline/core/Timestamp"
import { Effect } from "effect"
import type { Clock } from "effect"
import type { Courier } from "./Courier.ts"
import { GroupCommit } from "./GroupCommit.ts"
import type { Outage } from "./Outage.ts"

/** The most endpoints of one statement. */
const batchLimit = 256

/** The couriers that have something to write. */
export class Settlements extends GroupCommit<Courier> {
  /** Writes for those who ask, again and again. */
  to(store: DeliveryStore["Service"], clock: Clock.Clock, outage: Outage): Effect.Effect<never> {
    return this.run(
      {
        name: "write what became of deliveries",
        choose: (asking) => {
          const chosen: Array<Courier> = []
          for (const courier of asking) {
            if (chosen.length === batchLimit) break
            asking.delete(courier)
            if (courier.mustSettle) chosen.push(courier)
          }
          return chosen
        },
        run: (couriers) =>
          Effect.map(
            Effect.suspend(() => {
              const now = fromMillis(clock.currentTimeMillisUnsafe())
              return store.settle(couriers.map((courier) => courier.beginSettlement()), now)
            }),
            (held) => couriers.forEach((courier, at) => courier.endSettlement(held[at]))
          ),
        failed: (courier) => courier.endSettlement(undefined)
      },
      outage
    )
  }
}
