/**
 * Writing what has become of deliveries, for all couriers of this process together.
 *
 * Guarantee: a statement ends soon, however much there is to write: were all of it written at once, what piles up
 * meanwhile would make the next one longer, until the storage gives it up.
 */
import type { DeliveryStore, Settlement } from "@dockline/core/DeliveryStore"
import { fromMillis } from "@dockline/core/Timestamp"
import { Effect } from "effect"
import type { Clock } from "effect"
import { countSettled } from "../WebhookMetrics.ts"
import type { Courier } from "./Courier.ts"
import { GroupCommit } from "./GroupCommit.ts"
import type { Outage } from "./Outage.ts"

/** The most endpoints of one statement. */
const batchLimit = 256

/** After so many deliveries no further endpoint is added to a statement: with long answers it takes about a second. */
const batchDeliveries = 2000

/** What is written of a courier. */
interface Writing {
  readonly courier: Courier
  readonly settlement: Settlement
}

/** The couriers that have something to write. */
export class Settlements extends GroupCommit<Courier> {
  /** Writes for those who ask, again and again. */
  to(store: DeliveryStore["Service"], clock: Clock.Clock, outage: Outage): Effect.Effect<never> {
    return this.run(
      {
        name: "write what became of deliveries",
        choose: (asking) => {
          const chosen: Array<Writing> = []
          let count = 0
          for (const courier of asking) {
            if (chosen.length === batchLimit || count >= batchDeliveries) break
            asking.delete(courier)
            if (!courier.mustSettle) continue
            const settlement = courier.beginSettlement()
            count += settlement.results.length + settlement.parked.length
            chosen.push({ courier, settlement })
          }
          return chosen
        },
        run: (writings) =>
          Effect.flatMap(
            Effect.suspend(() => {
              const now = fromMillis(clock.currentTimeMillisUnsafe())
              return store.settle(writings.map(({ settlement }) => settlement), now)
            }),
            (held) => {
              const written = writings.filter((_, at) => held[at] === true)
              writings.forEach(({ courier }, at) => courier.endSettlement(held[at]))
              return Effect.forEach(written, ({ settlement }) => countSettled(settlement), { discard: true })
            }
          ),
        failed: ({ courier }) => courier.endSettlement(undefined)
      },
      outage
    )
  }
}
