/**
 * Finds endpoints with work, opens them, and batches the reads and writes of all their workers (D9). Look-ups, takes and settlements each
 * run one statement at a time, whatever the number of endpoints is.
 */
import type { EndpointId } from "@dockline/core/values/Id"
import { DeliveryStore, partitionOf } from "@dockline/core/webhooks/DeliveryStore"
import { Clock, Effect, Latch, Random } from "effect"
import { OperatorEvents } from "../OperatorEvents.ts"
import { OutboundHttp } from "../outbound/OutboundHttp.ts"
import type { WebhookConfig } from "../WebhookConfig.ts"
import { makeOpen } from "./EndpointCredentials.ts"
import { EndpointWorker } from "./EndpointWorker.ts"
import type { WorkerHost } from "./EndpointWorker.ts"
import * as GroupCommit from "./GroupCommit.ts"
import { batchLimit, SettlementBatches, StorageFailures, TakeBatches } from "./GroupCommit.ts"
import { makeSend, monotonicMillis } from "./Sending.ts"

/** The number of leases for which the dispatcher remembers that it lost an endpoint. */
const disputeLeases = 2

const looking = "look for deliveries"

/** Makes the dispatcher. When the scope closes, deliveries under way have time to end, and are recorded. */
export const makeDispatcher = Effect.fnUntraced(function*(config: WebhookConfig) {
  const store = yield* DeliveryStore
  const storageClock = GroupCommit.make(yield* Clock.Clock)
  const { clock } = storageClock
  const dispatcher = new Dispatcher(store, storageClock, {
    config,
    clock,
    random: yield* Random.Random,
    openCredentials: yield* makeOpen(clock),
    send: makeSend(yield* OutboundHttp, clock, config),
    fork: Effect.runForkWith(yield* Effect.context<never>()),
    tell: (yield* OperatorEvents).tell
  })
  yield* store.watch(() => dispatcher.wake())
  // These loops serve many messages at once, so they belong to no trace.
  for (const loop of dispatcher.loops) yield* Effect.forkScoped(Effect.withTracerEnabled(loop, false))
  yield* Effect.addFinalizer(() => dispatcher.stop)
  return dispatcher
})

class Dispatcher {
  readonly #store: DeliveryStore["Service"]
  readonly #config: WebhookConfig
  readonly #storageClock: GroupCommit.StorageClock
  readonly #clock: Clock.Clock
  readonly #host: WorkerHost
  readonly #partitions = new Set<number>()
  readonly #workers = new Map<number, EndpointWorker>()
  /** The endpoints that another dispatcher has opened: when this dispatcher lost them, and until when it does not open them. */
  readonly #lost = new Map<number, { readonly at: number; readonly until: number }>()
  readonly #woken = Latch.makeUnsafe(false)
  readonly #takes: TakeBatches
  readonly #settlements = new SettlementBatches()
  readonly #failures: StorageFailures
  #stopping = false
  /** The number of deliveries under way whose endpoints do not hang, and the number of workers that have such deliveries. */
  #moving = 0
  #movingWorkers = 0
  #tickedAt: number
  /** The time when the next known delivery or login is due, and the latest time of the next look-up. */
  #dueAt = Infinity
  #lookingAt = Infinity

  constructor(
    store: DeliveryStore["Service"],
    storageClock: GroupCommit.StorageClock,
    shared: Pick<
      WorkerHost,
      "config" | "clock" | "random" | "openCredentials" | "send" | "fork" | "tell"
    >
  ) {
    const { clock, config } = shared
    this.#store = store
    this.#config = config
    this.#storageClock = storageClock
    this.#clock = clock
    this.#takes = new TakeBatches(config)
    this.#failures = new StorageFailures(config.pollMillis)
    this.#tickedAt = monotonicMillis(clock)
    this.#host = {
      ...shared,
      askTake: (worker) => this.#takes.ask(worker),
      askSettle: (worker) => this.#settlements.ask(worker),
      dueAt: (time) => this.#due(Date.parse(time)),
      addHeldText: (difference) => this.#takes.addHeldText(difference),
      moving: (before, now) => this.#countMoving(before, now),
      mayBegin: (sending) => this.#mayBegin(sending),
      leave: (worker, leaseLost) => this.#left(worker, leaseLost)
    }
  }

  wake(): void {
    this.#woken.openUnsafe()
  }

  /** Dispatches for a partition until it is interrupted. Deliveries under way then have time to end, and are recorded. */
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
          return this.#close((worker) => partitionOf(worker.lease.endpointId) === partition)
        })
    )
  }

  /** Stops; ends when all deliveries under way are recorded, or after `drainMillis`. */
  get stop(): Effect.Effect<void> {
    return Effect.suspend(() => {
      this.#stopping = true
      return this.#close(() => true)
    })
  }

  get loops(): ReadonlyArray<Effect.Effect<never>> {
    return [
      this.#findWork,
      this.#takes.from(this.#store, this.#storageClock, this.#failures),
      this.#settlements.to(this.#store, this.#storageClock, this.#failures)
    ]
  }

  get #findWork(): Effect.Effect<never> {
    return Effect.forever(
      Effect.suspend(() => {
        this.#woken.closeUnsafe()
        const startMillis = monotonicMillis(this.#clock)
        return this.#openReady.pipe(
          Effect.catchCause((cause) => this.#failures.report(looking, cause)),
          // However often the dispatcher is woken, it spends at most half of its time on look-ups.
          Effect.andThen(Effect.suspend(() => Effect.sleep(monotonicMillis(this.#clock) - startMillis))),
          Effect.andThen(Effect.suspend(() => this.#pause))
        )
      })
    )
  }

  get #openReady() {
    return Effect.gen({ self: this }, function*() {
      const now = monotonicMillis(this.#clock)
      if (now - this.#tickedAt >= this.#config.pollMillis) this.#tick(now)
      if (this.#dueAt <= this.#clock.currentTimeMillisUnsafe()) this.#dueAt = Infinity
      if (this.#partitions.size === 0 || this.#stopping) return
      const partitions = [...this.#partitions]
      const ready = yield* this.#store.ready(partitions, this.#storageClock.fixedTime())
      this.#storageClock.onAnswer(ready.now, now)
      const { endpoints, nextDueAt } = ready
      this.#failures.forget(looking)
      if (nextDueAt !== null) this.#due(Date.parse(nextDueAt))
      const closed: Array<number> = []
      for (const id of endpoints) {
        const worker = this.#workers.get(id)
        if (worker !== undefined) worker.wake()
        else if ((this.#lost.get(id)?.until ?? 0) <= now) closed.push(id)
      }
      for (let start = 0; start < closed.length; start += batchLimit) {
        yield* this.#open(closed.slice(start, start + batchLimit))
      }
    })
  }

  #open(endpointIds: ReadonlyArray<EndpointId>) {
    return Effect.map(this.#store.open(endpointIds), (endpoints) => {
      for (const endpoint of endpoints) {
        const { endpointId } = endpoint.lease
        // The process may have lost the partition in the meantime.
        if (this.#stopping || !this.#partitions.has(partitionOf(endpointId))) continue
        const worker = new EndpointWorker(endpoint, this.#host)
        this.#workers.set(endpointId, worker)
        worker.start()
      }
    })
  }

  #tick(now: number): void {
    this.#tickedAt = now
    for (const [id, { at }] of this.#lost) {
      if (now - at > disputeLeases * this.#config.leaseMillis) this.#lost.delete(id)
    }
    for (const worker of this.#workers.values()) {
      if (worker.isIdle && this.#workers.size > this.#config.idleEndpoints) worker.close()
      else worker.tick()
    }
  }

  get #pause() {
    const now = this.#clock.currentTimeMillisUnsafe()
    this.#lookingAt = Math.min(this.#dueAt, now + this.#config.pollMillis)
    // The caller of `wake` must not run the dispatcher's work, so the rest continues in another turn of the event loop.
    const wakeUp = Effect.timeoutOption(this.#woken.await, Math.max(this.#lookingAt - now, 0))
    return Effect.andThen(wakeUp, Effect.yieldNow)
  }

  #due(time: number): void {
    this.#dueAt = Math.min(this.#dueAt, time)
    if (this.#dueAt < this.#lookingAt) this.wake()
  }

  #countMoving(before: number, now: number): void {
    this.#moving += now - before
    this.#movingWorkers += Math.sign(now) - Math.sign(before)
  }

  #mayBegin(sending: number): boolean {
    const { cautiousConcurrency, totalConcurrency } = this.#config
    if (sending < cautiousConcurrency) return true
    return this.#moving < totalConcurrency && sending < totalConcurrency / Math.max(this.#movingWorkers, 1)
  }

  #left(worker: EndpointWorker, leaseLost: boolean): void {
    const { endpointId } = worker.lease
    this.#workers.delete(endpointId)
    this.#takes.withdraw(worker)
    this.#settlements.withdraw(worker)
    if (leaseLost) {
      const at = monotonicMillis(this.#clock)
      // An endpoint that is lost once, for instance because it was disabled and enabled, is opened again at once. After a second loss
      // another dispatcher must have it. If both believed that they own it, they would repeat each other's deliveries.
      this.#lost.set(endpointId, {
        at,
        until: this.#lost.has(endpointId) ? at + this.#config.leaseMillis : at
      })
    }
    this.wake()
  }

  #close(which: (worker: EndpointWorker) => boolean): Effect.Effect<void> {
    return Effect.suspend(() => {
      const closing = [...this.#workers.values()].filter(which)
      for (const worker of closing) worker.close()
      const ended = Effect.forEach(closing, (worker) => worker.ended.await, { discard: true })
      return Effect.andThen(
        Effect.timeoutOption(Effect.interruptible(ended), this.#config.drainMillis),
        Effect.sync(() => closing.forEach((worker) => worker.drop(false)))
      )
    })
  }
}
