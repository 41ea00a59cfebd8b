/**
 * Taking messages for all couriers of this process together, within the memory that is left.
 *
 * Guarantee: what is held of payloads, and of answers that are to be written, is bounded by `totalText`, but for
 * single messages that are larger than a share and for the answers to what is on its way.
 * Of what is free and what it holds, an endpoint may hold a quarter, so that those that hang never have all of it.
 */
import type { DeliveryStore } from "@dockline/core/DeliveryStore"
import { fromMillis } from "@dockline/core/Timestamp"
import { Effect } from "effect"
import type { Clock } from "effect"
import type { WebhookConfig } from "../WebhookConfig.ts"
import type { Courier } from "./Courier.ts"
import { GroupCommit } from "./GroupCommit.ts"
import type { Outage } from "./Outage.ts"

/** The most endpoints of one statement. */
const batchLimit = 256

/** The most payload of one statement, in characters; each endpoint may have the least share all the same. */
const batchText = 8 * 1024 * 1024

/** The least share of the memory that is asked for at once. */
const leastShare = 1 / 1024

/** An endpoint that is to be asked for, and the most payload. */
interface Grant {
  readonly courier: Courier
  readonly text: number
}

/** The couriers that ask for messages, and what all of them hold. */
export class Takes extends GroupCommit<Courier> {
  readonly #totalText: number
  #heldText = 0

  constructor({ totalText }: Pick<WebhookConfig, "totalText">) {
    super()
    this.#totalText = totalText
  }

  /** A courier holds so many characters more than before, or fewer. */
  held(difference: number): void {
    this.#heldText += difference
    if (difference < 0) this.nudge()
  }

  /** Takes messages for those who ask, again and again. */
  from(store: DeliveryStore["Service"], clock: Clock.Clock, outage: Outage): Effect.Effect<never> {
    return this.run(
      {
        name: "take messages",
        choose: (asking) => this.#grants(asking),
        run: (grants) =>
          Effect.map(
            Effect.suspend(() => {
              const now = fromMillis(clock.currentTimeMillisUnsafe())
              return store.take(grants.map(({ courier, text }) => courier.beginTake(text)), now)
            }),
            (results) => grants.forEach(({ courier }, at) => courier.endTake(results[at]))
          ),
        failed: ({ courier }) => courier.endTake(undefined)
      },
      outage
    )
  }

  #grants(asking: Set<Courier>): ReadonlyArray<Grant> {
    const grants: Array<Grant> = []
    const least = Math.ceil(this.#totalText * leastShare)
    const most = Math.max(Math.floor(batchText / Math.min(asking.size, batchLimit)), least)
    let left = this.#totalText - this.#heldText
    for (const courier of asking) {
      const room = courier.textRoom
      if (room > 0 && (left <= 0 || grants.length === batchLimit)) break
      asking.delete(courier)
      // One that has had its share asks again as it comes on.
      const share = Math.floor((left - 3 * courier.text) / 4)
      const text = Math.min(room, most, courier.text === 0 ? Math.max(share, least) : share)
      if (text <= 0) continue
      grants.push({ courier, text })
      left -= text
    }
    return grants
  }
}
