/** Writes the results of deliveries for all workers of this process together, in statements of bounded size. */
import type { DeliveryStore, Settlement } from "@dockline/core/DeliveryStore"
import { fromMillis } from "@dockline/core/Timestamp"
import { Effect } from "effect"
import type { Clock } from "effect"
import { countSettled } from "../WebhookMetrics.ts"
import type { EndpointWorker } from "./EndpointWorker.ts"
import { batchLimit, GroupCommit } from "./GroupCommit.ts"
import type { StorageFailures } from "./GroupCommit.ts"

/** A statement with this many deliveries takes no further endpoint: with long answers it takes about a second. */
const batchDeliveries = 2000

export class SettlementBatches extends GroupCommit<EndpointWorker> {
  to(store: DeliveryStore["Service"], clock: Clock.Clock, failures: StorageFailures): Effect.Effect<never> {
    return this.run(
      {
        name: "write the results of deliveries",
        choose: (asking) => {
          const chosen: Array<{ readonly worker: EndpointWorker; readonly settlement: Settlement }> = []
          let count = 0
          for (const worker of asking) {
            if (chosen.length === batchLimit || count >= batchDeliveries) break
            asking.delete(worker)
            if (!worker.mustSettle) continue
            const settlement = worker.beginSettlement()
            count += settlement.results.length + settlement.parked.length
            chosen.push({ worker, settlement })
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
              writings.forEach(({ worker }, at) => worker.endSettlement(held[at]))
              return Effect.forEach(written, ({ settlement }) => countSettled(settlement), { discard: true })
            }
          ),
        failed: ({ worker }) => worker.endSettlement(undefined)
      },
      failures
    )
  }
}
