/**
 * Batches the takes and settlements of all workers into statements, and keeps the time of the storage.
 *
 * Guarantee: one statement of a kind runs at a time. Requests that arrive meanwhile go into the next statement. After a failure, the next
 * statement waits for the poll interval. A request that causes a defect does not fail the other requests of its statement.
 */
import { clockOf, givenNowOf } from "@dockline/core/values/Timestamp"
import type { Timestamp } from "@dockline/core/values/Timestamp"
import type { DeliveryStore, Settlement } from "@dockline/core/webhooks/DeliveryStore"
import { Cause, Effect, Latch } from "effect"
import type { Clock } from "effect"
import type { WebhookConfig } from "../WebhookConfig.ts"
import { countSettled } from "../WebhookMetrics.ts"
import type { EndpointWorker } from "./EndpointWorker.ts"
import { monotonicMillis } from "./Sending.ts"

/**
 * The time of day of the storage. It decides when deliveries are due, how long endpoints have failed and how long secrets are valid,
 * independently of the clock of the instance that delivers (D9.3, D21.6).
 *
 * Guarantee: the error is at most the round-trip time of the last answer of the storage. Between answers the time follows the monotonic
 * clock, so that setting the machine's clock changes nothing. If the program has its own clock, this is also the clock of the storage.
 */
export interface StorageClock {
  /** Shows the time of the storage, and has the timers of the system. */
  readonly clock: Clock.Clock
  /** The time of the program's own clock, for the storage to use; `null` when the program has none. */
  readonly fixedTime: () => Timestamp | null
  /** Takes the storage's time from its answer to a request. `askedAt` is the monotonic time of the request, in milliseconds. */
  readonly onAnswer: (now: Timestamp, askedAt: number) => void
}

/**
 * The lead of the storage's time over the monotonic clock, in milliseconds, after an answer with its time. The storage read its time
 * between request and answer, which bounds the lead; within the bounds, the value closest to the previous one is used.
 */
export const agree = (ahead: number, time: number, askedAt: number, answeredAt: number): number =>
  Math.min(Math.max(ahead, time - answeredAt), time - askedAt)

/** The clock of the storage; the system's clock until the storage has answered. */
export const make = (system: Clock.Clock): StorageClock => {
  const fixedTime = () => givenNowOf(system)
  if (fixedTime() !== null) return { clock: system, fixedTime, onAnswer: () => {} }
  let ahead = system.currentTimeMillisUnsafe() - monotonicMillis(system)
  return {
    clock: clockOf(() => ahead + monotonicMillis(system), system),
    fixedTime,
    onAnswer: (now, askedAt) => {
      ahead = agree(ahead, Date.parse(now), askedAt, monotonicMillis(system))
    }
  }
}

/** The most endpoints that one statement serves. */
export const batchLimit = 256

export interface Statement<Member, Item, E> {
  /** The purpose of the statement, for the log. */
  readonly name: string
  /**
   * Chooses items, and removes their members from `asking`. Members that remain wait for the next statement or for
   * `nudge`.
   */
  readonly choose: (asking: Set<Member>) => ReadonlyArray<Item>
  readonly run: (items: ReadonlyArray<Item>) => Effect.Effect<void, E>
  readonly onFailure: (item: Item) => void
}

export class GroupCommit<Member> {
  readonly #asking = new Set<Member>()
  readonly #woken = Latch.makeUnsafe(false)

  /** Requests that the next statement include the member. A second request has no further effect. */
  ask(member: Member): void {
    this.#asking.add(member)
    this.#woken.openUnsafe()
  }

  withdraw(member: Member): void {
    this.#asking.delete(member)
  }

  nudge(): void {
    if (this.#asking.size > 0) this.#woken.openUnsafe()
  }

  run<Item, E>(statement: Statement<Member, Item, E>, failures: StorageFailures): Effect.Effect<never> {
    const attempt = (items: ReadonlyArray<Item>): Effect.Effect<void> =>
      statement.run(items).pipe(
        Effect.andThen(Effect.sync(() => failures.forget(statement.name))),
        Effect.catchCause((cause) => {
          if (Cause.hasInterrupts(cause)) return Effect.interrupt
          if (Cause.hasDies(cause) && items.length > 1) {
            return Effect.forEach(items, (item) => attempt([item]), { discard: true })
          }
          // The members learn of the failure at once and may ask again; the next statement starts after the poll interval.
          items.forEach(statement.onFailure)
          return failures.report(statement.name, cause)
        })
      )
    const next = Effect.suspend(() => {
      this.#woken.closeUnsafe()
      const items = statement.choose(this.#asking)
      return items.length === 0
        ? Effect.void
        : Effect.andThen(attempt(items), Effect.sync(() => this.nudge()))
    })
    // Yields once before the statement, so that it includes all requests of the same turn of the event loop.
    const wakeUp = Effect.andThen(this.#woken.await, Effect.yieldNow)
    return Effect.forever(Effect.andThen(wakeUp, next))
  }
}

/** Logs the failure of a statement once until it succeeds again, but logs every defect. The next try waits for the poll interval. */
export class StorageFailures {
  readonly #pollMillis: number
  readonly #told = new Set<string>()

  constructor(pollMillis: number) {
    this.#pollMillis = pollMillis
  }

  forget(what: string): void {
    this.#told.delete(what)
  }

  report(what: string, cause: Cause.Cause<unknown>): Effect.Effect<void> {
    return Effect.suspend(() => {
      const isNews = !this.#told.has(what) || Cause.hasDies(cause)
      this.#told.add(what)
      const report = isNews
        ? Effect.logError(`Webhooks: could not ${what}; trying again`, cause)
        : Effect.void
      return Effect.andThen(report, Effect.sleep(this.#pollMillis))
    })
  }
}

/** The payload of one statement, in characters, divided among its endpoints. An endpoint's part is at least the least share. */
const batchText = 8 * 1024 * 1024

/** The least share of an endpoint, as a fraction of `totalCharacters`. */
const leastShare = 1 / 1024

interface Grant {
  readonly worker: EndpointWorker
  readonly text: number
}

/**
 * Takes messages for all workers of this process, within `totalCharacters` except for single messages larger than a share.
 * An endpoint holds at most the least share, or a quarter of the sum of free memory and its own memory, so hanging endpoints never hold all
 * memory.
 */
export class TakeBatches extends GroupCommit<EndpointWorker> {
  readonly #totalCharacters: number
  #heldText = 0

  constructor({ totalCharacters }: Pick<WebhookConfig, "totalCharacters">) {
    super()
    this.#totalCharacters = totalCharacters
  }

  /** Adds to the characters that all workers hold; a negative difference takes away. */
  addHeldText(difference: number): void {
    this.#heldText += difference
    if (difference < 0) this.nudge()
  }

  from(
    store: DeliveryStore["Service"],
    { fixedTime }: Pick<StorageClock, "fixedTime">,
    failures: StorageFailures
  ): Effect.Effect<never> {
    return this.run(
      {
        name: "take messages",
        choose: (asking) => this.#grants(asking),
        run: (grants) =>
          Effect.map(
            Effect.suspend(() =>
              store.take(grants.map(({ worker, text }) => worker.beginTake(text)), fixedTime())
            ),
            (results) => grants.forEach(({ worker }, at) => worker.endTake(results[at]))
          ),
        onFailure: ({ worker }) => worker.endTake(undefined)
      },
      failures
    )
  }

  #grants(asking: Set<EndpointWorker>): ReadonlyArray<Grant> {
    const grants: Array<Grant> = []
    const least = Math.ceil(this.#totalCharacters * leastShare)
    const most = Math.max(Math.floor(batchText / Math.min(asking.size, batchLimit)), least)
    let freeText = this.#totalCharacters - this.#heldText
    for (const worker of asking) {
      const room = worker.textRoom
      if (room > 0 && (freeText <= 0 || grants.length === batchLimit)) break
      asking.delete(worker)
      // A worker that already holds its share asks again after it has settled some deliveries.
      const share = Math.floor((freeText - 3 * worker.text) / 4)
      const text = Math.min(room, most, worker.text === 0 ? Math.max(share, least) : share)
      if (text <= 0) continue
      grants.push({ worker, text })
      freeText -= text
    }
    return grants
  }
}

/** The number of deliveries from which a statement gets no further endpoint. With long answers such a statement runs for about a second. */
const batchDeliveries = 2000

/** Writes the results of deliveries for all workers of this process together, in statements of bounded size. */
export class SettlementBatches extends GroupCommit<EndpointWorker> {
  to(
    store: DeliveryStore["Service"],
    { fixedTime }: Pick<StorageClock, "fixedTime">,
    failures: StorageFailures
  ): Effect.Effect<never> {
    return this.run(
      {
        name: "write the results of deliveries",
        choose: (asking) => {
          const writings: Array<{ readonly worker: EndpointWorker; readonly settlement: Settlement }> = []
          let count = 0
          for (const worker of asking) {
            if (writings.length === batchLimit || count >= batchDeliveries) break
            asking.delete(worker)
            if (!worker.mustSettle) continue
            const settlement = worker.beginSettlement()
            count += settlement.results.length + settlement.waitingMessages.length
            writings.push({ worker, settlement })
          }
          return writings
        },
        run: (writings) =>
          Effect.flatMap(
            Effect.suspend(() => store.settle(writings.map(({ settlement }) => settlement), fixedTime())),
            (leasesHold) => {
              const durable = writings.filter((_, at) => leasesHold[at] === true)
              writings.forEach(({ worker }, at) => worker.endSettlement(leasesHold[at]))
              return Effect.forEach(durable, ({ settlement }) => countSettled(settlement), { discard: true })
            }
          ),
        onFailure: ({ worker }) => worker.endSettlement(undefined)
      },
      failures
    )
  }
}
