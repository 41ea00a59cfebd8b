/**
 * Takes messages for all workers of this process, within `totalText` except for single messages larger than a share.
 * An endpoint holds at most a quarter of the free memory and its own, so endpoints that hang never hold all of it.
 */
import type { DeliveryStore } from "@dockline/core/DeliveryStore"
import { fromMillis } from "@dockline/core/Timestamp"
import { Effect } from "effect"
import type { Clock } from "effect"
import type { WebhookConfig } from "../WebhookConfig.ts"
import type { EndpointWorker } from "./EndpointWorker.ts"
import { batchLimit, GroupCommit } from "./GroupCommit.ts"
import type { StorageFailures } from "./GroupCommit.ts"

/** The most payload of one statement, in characters; each endpoint may exceed it by the least share. */
const batchText = 8 * 1024 * 1024

const leastShare = 1 / 1024

interface Grant {
  readonly worker: EndpointWorker
  readonly text: number
}

export class TakeBatches extends GroupCommit<EndpointWorker> {
  readonly #totalText: number
  #heldText = 0

  constructor({ totalText }: Pick<WebhookConfig, "totalText">) {
    super()
    this.#totalText = totalText
  }

  /** `difference` is in characters, negative when the worker holds fewer. */
  held(difference: number): void {
    this.#heldText += difference
    if (difference < 0) this.nudge()
  }

  from(store: DeliveryStore["Service"], clock: Clock.Clock, failures: StorageFailures): Effect.Effect<never> {
    return this.run(
      {
        name: "take messages",
        choose: (asking) => this.#grants(asking),
        run: (grants) =>
          Effect.map(
            Effect.suspend(() => {
              const now = fromMillis(clock.currentTimeMillisUnsafe())
              return store.take(grants.map(({ worker, text }) => worker.beginTake(text)), now)
            }),
            (results) => grants.forEach(({ worker }, at) => worker.endTake(results[at]))
          ),
        failed: ({ worker }) => worker.endTake(undefined)
      },
      failures
    )
  }

  #grants(asking: Set<EndpointWorker>): ReadonlyArray<Grant> {
    const grants: Array<Grant> = []
    const least = Math.ceil(this.#totalText * leastShare)
    const most = Math.max(Math.floor(batchText / Math.min(asking.size, batchLimit)), least)
    let left = this.#totalText - this.#heldText
    for (const worker of asking) {
      const room = worker.textRoom
      if (room > 0 && (left <= 0 || grants.length === batchLimit)) break
      asking.delete(worker)
      // A worker that holds its share already asks again once it has settled some of it.
      const share = Math.floor((left - 3 * worker.text) / 4)
      const text = Math.min(room, most, worker.text === 0 ? Math.max(share, least) : share)
      if (text <= 0) continue
      grants.push({ worker, text })
      left -= text
    }
    return grants
  }
}
