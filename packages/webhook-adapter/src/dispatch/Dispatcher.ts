/**
 * Dispatches for the endpoints of the partitions that are this process' (D9): looks where something is to be done,
 * opens those endpoints, and does the reading and writing of all their couriers together.
 *
 * Guarantee: looking, taking and writing are one statement at a time each, whatever the number of endpoints. What is
 * held in memory for all of them is bounded, and none of them is waited for by another one.
 */
import { DeliveryStore, partitionOf } from "@dockline/core/DeliveryStore"
import { fromMillis } from "@dockline/core/Timestamp"
import { Clock, Context, Effect, Latch, Layer, Random } from "effect"
import { OutboundHttp } from "../outbound/OutboundHttp.ts"
import type { WebhookConfig } from "../WebhookConfig.ts"
import { Courier } from "./Courier.ts"
import { EndpointAccesses } from "./EndpointAccess.ts"
import type { Office } from "./Office.ts"
import { Outage } from "./Outage.ts"
import { monotonicMillis, sending } from "./Sending.ts"
import { Settlements } from "./Settlements.ts"
import { Takes } from "./Takes.ts"

/** The most endpoints that are opened by one statement. */
const batchLimit = 256

/** For how many times of a lease it is remembered that an endpoint was lost. */
const disputeLeases = 2

/** What the log calls it. */
const looking = "look for deliveries"

/** What runs a partition: to be handed to `Placement`. */
export class Dispatcher extends Context.Service<Dispatcher, {
  /**
   * Dispatches for the endpoints of a partition until it is interrupted; what is on its way then is given time to end
   * and is written.
   */
  readonly work: (partition: number) => Effect.Effect<never>
}>()("@dockline/webhook-adapter/Dispatcher") {
  /** Dispatches as long as the layer lives. As it ends, what is on its way is given time to end and is written. */
  static readonly layer = (
    config: WebhookConfig
  ): Layer.Layer<Dispatcher, never, DeliveryStore | OutboundHttp | EndpointAccesses> =>
    Layer.effect(
      Dispatcher,
      Effect.gen(function*() {
        const dispatch = yield* makeDispatch(config)
        // What is done again and again, and for many messages at once, belongs to no trace.
        const untraced = Effect.withTracerEnabled(false)
        yield* Effect.forkScoped(untraced(dispatch.scout))
        yield* Effect.forkScoped(untraced(dispatch.take))
        yield* Effect.forkScoped(untraced(dispatch.settle))
        yield* Effect.addFinalizer(() => dispatch.stop)
        return Dispatcher.of({ work: (partition) => dispatch.work(partition) })
      })
    )
}

const makeDispatch = Effect.fnUntraced(function*(config: WebhookConfig) {
  const store = yield* DeliveryStore
  const http = yield* OutboundHttp
  const accesses = yield* EndpointAccesses
  const clock = yield* Clock.Clock
  const random = yield* Random.Random
  const context = yield* Effect.context<never>()
  const fork = Effect.runForkWith(context)
  const dispatch = new Dispatch(store, config, clock, {
    config,
    clock,
    random,
    accesses,
    send: sending(http, clock, config),
    fork
  })
  yield* store.watch(() => dispatch.wake())
  return dispatch
})

class Dispatch {
  readonly #store: DeliveryStore["Service"]
  readonly #config: WebhookConfig
  readonly #clock: Clock.Clock
  readonly #office: Office
  readonly #partitions = new Set<number>()
  readonly #couriers = new Map<number, Courier>()
  /** Endpoints that somebody else has opened, when that was, and until when they are left alone. */
  readonly #lost = new Map<number, { readonly at: number; readonly until: number }>()
  readonly #woken = Latch.makeUnsafe(false)
  readonly #takes: Takes
  readonly #settlements = new Settlements()
  readonly #outage: Outage
  #stopping = false
  /** How many deliveries are on their way and move on, and of how many couriers. */
  #moving = 0
  #movingCouriers = 0
  #tickedAt: number
  /** When the next delivery or login is due that couriers have told of, and when it is looked for at the latest. */
  #dueAt = Infinity
  #lookingAt = Infinity

  constructor(
    store: DeliveryStore["Service"],
    config: WebhookConfig,
    clock: Clock.Clock,
    office: Pick<Office, "config" | "clock" | "random" | "accesses" | "send" | "fork">
  ) {
    this.#store = store
    this.#config = config
    this.#clock = clock
    this.#takes = new Takes(config)
    this.#outage = new Outage(config.pollMillis)
    this.#tickedAt = monotonicMillis(clock)
    this.#office = {
      ...office,
      askTake: (courier) => this.#takes.ask(courier),
      askSettle: (courier) => this.#settlements.ask(courier),
      dueAt: (time) => this.#due(Date.parse(time)),
      held: (difference) => this.#takes.held(difference),
      moving: (before, now) => this.#moves(before, now),
      mayBegin: (sending) => this.#mayBegin(sending),
      left: (courier, lost) => this.#left(courier, lost)
    }
  }

  /** There may be something new to do. */
  wake(): void {
    this.#woken.openUnsafe()
  }

  work(partition: number): Effect.Effect<never> {
    return Effect.acquireUseRelease(
      Effect.sync(() => {
        this.#partitions.add(partition)
        this.wake()
      }),
      () => Effect.never,
      () =>
        Effect.suspend(() => {
          this.#partitions.delete(partition)
          return this.#close((courier) => partitionOf(courier.lease.endpointId) === partition)
        })
    )
  }

  /** Nothing more is begun; ends when what is on its way has ended and is written, or the time is over. */
  get stop(): Effect.Effect<void> {
    return Effect.suspend(() => {
      this.#stopping = true
      return this.#close(() => true)
    })
  }

  /** Looks for endpoints with something to do. */
  get scout(): Effect.Effect<never> {
    return Effect.forever(
      Effect.suspend(() => {
        this.#woken.closeUnsafe()
        const begun = monotonicMillis(this.#clock)
        return this.#look.pipe(
          Effect.catchCause((cause) => this.#outage.failed(looking, cause)),
          // However often it is woken, it looks for at most half of the time.
          Effect.andThen(Effect.suspend(() => Effect.sleep(monotonicMillis(this.#clock) - begun))),
          Effect.andThen(Effect.suspend(() => this.#rest))
        )
      })
    )
  }

  /** Takes messages for the couriers that ask. */
  get take(): Effect.Effect<never> {
    return this.#takes.from(this.#store, this.#clock, this.#outage)
  }

  /** Writes for the couriers that ask. */
  get settle(): Effect.Effect<never> {
    return this.#settlements.to(this.#store, this.#clock, this.#outage)
  }

  get #look() {
    const { clock } = this.#office
    return Effect.gen({ self: this }, function*() {
      const now = monotonicMillis(clock)
      if (now - this.#tickedAt >= this.#config.pollMillis) this.#tick(now)
      if (this.#dueAt <= clock.currentTimeMillisUnsafe()) this.#dueAt = Infinity
      if (this.#partitions.size === 0 || this.#stopping) return
      const { endpoints, nextDueAt } = yield* this.#store.ready(
        [...this.#partitions],
        fromMillis(clock.currentTimeMillisUnsafe())
      )
      this.#outage.end(looking)
      if (nextDueAt !== null) this.#due(Date.parse(nextDueAt))
      const closed: Array<number> = []
      for (const id of endpoints) {
        const courier = this.#couriers.get(id)
        if (courier !== undefined) courier.wake()
        else if ((this.#lost.get(id)?.until ?? 0) <= now) closed.push(id)
      }
      for (let start = 0; start < closed.length; start += batchLimit) {
        yield* this.#open(closed.slice(start, start + batchLimit))
      }
    })
  }

  #open(endpointIds: ReadonlyArray<number>) {
    return Effect.map(this.#store.open(endpointIds), (opened) => {
      for (const endpoint of opened) {
        const { endpointId } = endpoint.lease
        // The partition may have gone meanwhile.
        if (this.#stopping || !this.#partitions.has(partitionOf(endpointId))) continue
        const courier = new Courier(endpoint, this.#office)
        this.#couriers.set(endpointId, courier)
        courier.start()
      }
    })
  }

  #tick(now: number): void {
    this.#tickedAt = now
    for (const [id, { at }] of this.#lost) {
      if (now - at > disputeLeases * this.#config.leaseMillis) this.#lost.delete(id)
    }
    for (const courier of this.#couriers.values()) {
      if (courier.isIdle && this.#couriers.size > this.#config.idleEndpoints) courier.close()
      else courier.tick()
    }
  }

  /** Until it is woken, something is due, or the poll. */
  get #rest() {
    const now = this.#clock.currentTimeMillisUnsafe()
    this.#lookingAt = Math.min(this.#dueAt, now + this.#config.pollMillis)
    // Whoever wakes it does not do its work: the rest of it comes in a turn of its own.
    const woken = Effect.timeoutOption(this.#woken.await, Math.max(this.#lookingAt - now, 0))
    return Effect.andThen(woken, Effect.yieldNow)
  }

  #due(time: number): void {
    this.#dueAt = Math.min(this.#dueAt, time)
    if (this.#dueAt < this.#lookingAt) this.wake()
  }

  #moves(before: number, now: number): void {
    this.#moving += now - before
    this.#movingCouriers += Math.sign(now) - Math.sign(before)
  }

  #mayBegin(sending: number): boolean {
    const { cautiousConcurrency, totalConcurrency } = this.#config
    if (sending < cautiousConcurrency) return true
    return this.#moving < totalConcurrency && sending < totalConcurrency / Math.max(this.#movingCouriers, 1)
  }

  #left(courier: Courier, lost: boolean): void {
    const { endpointId } = courier.lease
    this.#couriers.delete(endpointId)
    this.#takes.withdraw(courier)
    this.#settlements.withdraw(courier)
    if (lost) {
      const at = monotonicMillis(this.#clock)
      // It is opened again if it is still ours, as when it was disabled and enabled. Whoever takes it again is left to
      // it for a while: two who both believe that it is theirs would only repeat what the other one sends.
      this.#lost.set(endpointId, {
        at,
        until: this.#lost.has(endpointId) ? at + this.#config.leaseMillis : at
      })
    }
    this.wake()
  }

  #close(which: (courier: Courier) => boolean): Effect.Effect<void> {
    return Effect.suspend(() => {
      const closing = [...this.#couriers.values()].filter(which)
      for (const courier of closing) courier.close()
      const ended = Effect.forEach(closing, (courier) => courier.ended.await, { discard: true })
      return Effect.andThen(
        Effect.timeoutOption(Effect.interruptible(ended), this.#config.drainMillis),
        Effect.sync(() => closing.forEach((courier) => courier.drop(false)))
      )
    })
  }
}
