/**
 * Delivers the messages of one endpoint as long as its lease lasts (D9.3, D9.4). A worker has no loop: the dispatcher passes it the results
 * of takes and settlements, and the worker requests the next ones.
 *
 * Guarantee: a worker without recent contact to the storage (`leaseMillis`) begins no delivery. Once it learns that the lease is lost, it
 * sends and writes nothing; before that, the `DeliveryStore` refuses what it writes.
 */
import type { Timestamp } from "@dockline/core/values/Timestamp"
import type {
  Lease,
  OpenedEndpoint,
  Settlement,
  TakeRequest,
  TakeResult
} from "@dockline/core/webhooks/DeliveryStore"
import type { WebhookEndpoint } from "@dockline/core/webhooks/WebhookEndpoint"
import { Effect, Exit, Latch } from "effect"
import type { Clock, Fiber, Random } from "effect"
import type { Authorization } from "../auth/EndpointAuth.ts"
import type { OperatorEvent } from "../OperatorEvents.ts"
import type { WebhookConfig } from "../WebhookConfig.ts"
import { DeliveryWindow } from "./DeliveryWindow.ts"
import type { HeldDelivery, WindowSettlement } from "./DeliveryWindow.ts"
import type { EndpointCredentials, OpenCredentials } from "./EndpointCredentials.ts"
import { ConcurrencyLimit, RequestRate } from "./EndpointLimits.ts"
import { EndpointState } from "./EndpointState.ts"
import { afterDefect, inTrace, loginFaultOf, monotonicMillis } from "./Sending.ts"
import type { LoginFault, Send, SendResult } from "./Sending.ts"

/** The parts that all workers of a process share, and the calls by which they report to the dispatcher. */
export interface WorkerHost {
  readonly config: WebhookConfig
  readonly clock: Clock.Clock
  readonly random: typeof Random.Random.Service
  readonly openCredentials: OpenCredentials
  readonly send: Send
  readonly fork: <A, E>(effect: Effect.Effect<A, E>) => Fiber.Fiber<A, E>
  /** Notifies the operators of the service. */
  readonly tell: (event: OperatorEvent) => void
  readonly askTake: (worker: EndpointWorker) => void
  readonly askSettle: (worker: EndpointWorker) => void
  readonly dueAt: (time: Timestamp) => void
  readonly addHeldText: (difference: number) => void
  /** Reports the number of a worker's deliveries that are under way and not hanging: before a change, and now. */
  readonly moving: (before: number, now: number) => void
  /** Whether a worker that is sending this many deliveries may begin one more. */
  readonly mayBegin: (sending: number) => boolean
  /** Reports the end of a worker. `leaseLost` says that another dispatcher has opened its endpoint. */
  readonly leave: (worker: EndpointWorker, leaseLost: boolean) => void
}

/** Runs an effect, and calls `then` with its exit unless the worker has ended meanwhile. */
export type Run = <A, E>(effect: Effect.Effect<A, E>, then: (exit: Exit.Exit<A, E>) => void) => void

/** Opens the secrets of an endpoint, and obtains an authorization if necessary (D9.2). */
export class SignIn {
  readonly #open: OpenCredentials
  readonly #run: Run
  readonly #failed: (fault: LoginFault) => void
  readonly #changed: () => void
  #endpoint: WebhookEndpoint | undefined
  #credentials: EndpointCredentials | undefined
  #signingIn = false

  /** Calls `onChange` whenever `authorization` may have a new result. */
  constructor(open: OpenCredentials, run: Run, onFailure: (fault: LoginFault) => void, onChange: () => void) {
    this.#open = open
    // An authorization serves all later messages, so its login belongs to no message's trace.
    this.#run = (effect, then) => run(Effect.withTracerEnabled(effect, false), then)
    this.#failed = onFailure
    this.#changed = onChange
  }

  get credentials(): EndpointCredentials | undefined {
    return this.#credentials
  }

  get isPending(): boolean {
    return this.#credentials === undefined || this.#signingIn
  }

  open(endpoint: WebhookEndpoint): void {
    const before = this.#credentials
    this.#endpoint = endpoint
    this.#credentials = undefined
    this.#run(this.#open(endpoint, before), (exit) => {
      if (this.#endpoint !== endpoint) return
      if (Exit.isSuccess(exit)) this.#credentials = exit.value
      else this.#failed(loginFaultOf(exit))
      this.#changed()
    })
  }

  /** The present authorization; `undefined` while there is none, and then a login begins. */
  authorization(): Authorization | undefined {
    const credentials = this.#credentials
    if (credentials === undefined || this.#signingIn) return undefined
    const authorization = credentials.auth.current()
    if (authorization === undefined) this.#signIn(credentials)
    return authorization
  }

  #signIn(credentials: EndpointCredentials): void {
    this.#signingIn = true
    this.#run(credentials.auth.obtain, (exit) => {
      this.#signingIn = false
      if (Exit.isFailure(exit) && this.#credentials === credentials) this.#failed(loginFaultOf(exit))
      this.#changed()
    })
  }
}

export class EndpointWorker {
  /** The lease, with the number of its stored settlements. */
  lease: Lease
  readonly ended: Latch.Latch = Latch.makeUnsafe(false)
  readonly #host: WorkerHost
  readonly #window: DeliveryWindow
  readonly #limit: ConcurrencyLimit
  readonly #rate: RequestRate
  readonly #signIn: SignIn
  readonly #state: EndpointState
  readonly #running = new Set<Fiber.Fiber<unknown, unknown>>()
  #endpoint: WebhookEndpoint
  #phase: "open" | "closing" | "ended" = "open"
  /** Whether the store may have more messages for this endpoint. */
  #wantsTake = true
  #taking = false
  #takenAt: number
  #contactAt: number
  #heldText = 0
  #moving = 0
  /** Whether deliveries wait until the rate of the endpoint lets them begin. */
  #isHeldBack = false
  /** Whether a settlement is due for the endpoint itself, or to renew the contact with the storage. */
  #mustSettle = false
  /** Whether the last settlement was written. Otherwise no delivery begins, because its outcome could not be written either. */
  #canWrite = true
  #writing: WindowSettlement | undefined
  #writingSince = 0

  constructor({ endpoint, lease }: OpenedEndpoint, host: WorkerHost) {
    this.lease = lease
    this.#host = host
    this.#endpoint = endpoint
    this.#window = new DeliveryWindow(endpoint.cursorId)
    this.#state = new EndpointState(endpoint, host.config, (line) => host.fork(line), host.tell)
    this.#contactAt = monotonicMillis(host.clock)
    this.#takenAt = this.#contactAt
    this.#limit = new ConcurrencyLimit(host, this.#window, this.#contactAt)
    this.#rate = new RequestRate(endpoint.ratePerSecond, this.#contactAt)
    this.#signIn = new SignIn(
      host.openCredentials,
      (effect, then) => this.#run(effect, then),
      (fault) => this.#loginFailed(fault),
      () => this.#turn()
    )
  }

  start(): void {
    this.#signIn.open(this.#endpoint)
  }

  get isIdle(): boolean {
    const isBusy = this.#signIn.isPending || this.#limit.sending > 0 || this.#wantsTake || this.#taking
    return this.#phase === "open" && !isBusy && !this.#isDirty && this.#window.size === 0
  }

  wake(): void {
    this.#wantsTake = true
    this.#turn()
  }

  /** Postpones deliveries that wait for a hanging delivery, and requests a take when the last take was long ago. */
  tick(): void {
    if (this.#phase !== "open") return
    const now = this.#now
    const since = now - this.#host.config.stallMillis
    this.#limit.checkProgress(since)
    this.#window.relieve(since, this.#limit.isHanging)
    if (this.#takenAt <= since && (this.#limit.sending > 0 || this.#window.waiting > 0)) {
      this.#wantsTake = true
    }
    this.#turn()
  }

  close(): void {
    if (this.#phase !== "open") return
    this.#phase = "closing"
    this.#turn()
  }

  /** Ends at once: the lease is lost, the time to stop is over, or a closing worker has nothing left to do. */
  drop(leaseLost: boolean): void {
    if (this.#phase === "ended") return
    this.#phase = "ended"
    for (const fiber of this.#running) fiber.interruptUnsafe()
    this.#account(0, 0)
    this.ended.openUnsafe()
    this.#host.leave(this, leaseLost)
  }

  get mustSettle(): boolean {
    return this.#phase !== "ended" && (this.#mustSettle || this.#window.isDirty)
  }

  /** The characters of the payloads and answers that the worker holds. */
  get text(): number {
    return this.#heldText
  }

  /** The most characters of payload that the worker may take now; 0 when it takes nothing. */
  get textRoom(): number {
    return this.#canTake ? Math.max(this.#host.config.windowCharacters - this.#window.text, 1) : 0
  }

  beginTake(textLimit: number): TakeRequest {
    this.#taking = true
    this.#wantsTake = false
    this.#takenAt = this.#now
    return {
      lease: this.lease,
      version: this.#endpoint.version,
      afterId: this.#window.readTo,
      takenIds: this.#window.beginTake(),
      limit: this.#wantsMore ? Math.max(this.#room, 1) : 1,
      textLimit
    }
  }

  /** Accepts the result of a take; `undefined` when the store could not be reached. */
  endTake(result: TakeResult | undefined): void {
    this.#taking = false
    if (this.#phase === "ended") return
    if (result?._tag === "lost") return this.drop(true)
    if (result?._tag === "taken") {
      const { endpoint, expiredUpTo, more } = result.messages
      this.#contactAt = this.#takenAt
      this.#wantsTake ||= more
      this.#window.accept(result.messages, this.#host.clock.currentTimeMillisUnsafe())
      if (expiredUpTo !== undefined) this.#state.expired(expiredUpTo)
      const [drop] = result.messages.staleDeliveries
      if (drop !== undefined) this.#state.tellDrop(drop.messageId)
      this.#mustSettle ||= expiredUpTo !== undefined
      if (endpoint !== undefined) {
        this.#endpoint = endpoint
        this.#rate.set(endpoint.ratePerSecond, this.#now)
        this.#signIn.open(endpoint)
      }
    } else {
      this.#window.endTake()
      if (result?._tag === "closed") return this.close()
      this.#wantsTake = true
    }
    this.#turn()
  }

  beginSettlement(): Settlement {
    this.#writing = this.#window.settlement()
    this.#writingSince = this.#now
    this.#mustSettle = false
    const { cursorId, waitingMessages, results } = this.#writing
    return { lease: this.lease, cursorId, results, waitingMessages, ...this.#state.health }
  }

  /** Accepts whether the settlement was written; `undefined` when that is unknown, so that it is written again. */
  endSettlement(leaseHolds: boolean | undefined): void {
    const settlement = this.#writing
    this.#writing = undefined
    if (this.#phase === "ended") return
    if (leaseHolds === false) return this.drop(true)
    this.#canWrite = leaseHolds !== undefined && settlement !== undefined
    if (leaseHolds === undefined || settlement === undefined) this.#mustSettle = true
    else {
      this.#contactAt = this.#writingSince
      this.lease = { ...this.lease, settlements: this.lease.settlements + 1 }
      if (this.#window.commit(settlement)) this.#wantsTake = true
    }
    this.#turn()
  }

  get #now(): number {
    return monotonicMillis(this.#host.clock)
  }

  get #isDirty(): boolean {
    return this.mustSettle || this.#writing !== undefined
  }

  get #canTake(): boolean {
    if (this.#phase !== "open" || !this.#wantsTake || this.#taking) return false
    if (this.#signIn.credentials === undefined) return false
    // A worker that needs no messages still takes from time to time: the endpoint may have been changed or disabled.
    const isLate = this.#now - this.#takenAt >= this.#host.config.stallMillis
    return this.#wantsMore || isLate
  }

  /** With a slow rate, the messages of later seconds stay in the log: in the worker they would use memory that other endpoints need. */
  get #wantsMore(): boolean {
    return this.#limit.wantsMore && !(this.#isHeldBack && this.#window.waiting >= this.#rate.perSecond)
  }

  get #room(): number {
    const { perSecond } = this.#rate
    return perSecond === 0 ? this.#limit.room : Math.min(this.#limit.room, 2 * perSecond)
  }

  #turn(): void {
    if (this.#phase === "ended") return
    if (this.#phase === "open") this.#sendOn()
    this.#account()
    if (this.#isDirty) this.#host.askSettle(this)
    else if (this.#phase === "closing" && this.#limit.sending === 0) return this.drop(false)
    if (this.#canTake) this.#host.askTake(this)
  }

  #account(text = this.#window.text, moving = this.#limit.moving): void {
    if (text !== this.#heldText) this.#host.addHeldText(text - this.#heldText)
    if (moving !== this.#moving) this.#host.moving(this.#moving, moving)
    this.#heldText = text
    this.#moving = moving
  }

  #sendOn(): void {
    const { config } = this.#host
    const { credentials } = this.#signIn
    if (credentials === undefined) return
    while (this.#limit.hasSlot && this.#window.isReady) {
      const now = this.#now
      if (now - this.#contactAt >= config.leaseMillis || !this.#canWrite) {
        this.#mustSettle = true
        return
      }
      const wait = this.#rate.wait(now)
      if (wait > 0) return this.#holdBack(wait)
      const authorization = this.#signIn.authorization()
      if (authorization === undefined) return
      this.#state.signedIn()
      const delivery = this.#window.next(now)
      if (delivery === undefined) return
      this.#limit.begin(now)
      this.#rate.begin(now)
      this.#account()
      const send = this.#host.send(delivery.message, credentials, authorization, this.#mayRepeat)
      this.#run(inTrace(delivery, this.#endpoint, send), (exit) => this.#sent(delivery, exit))
    }
  }

  #holdBack(millis: number): void {
    if (this.#isHeldBack) return
    this.#isHeldBack = true
    this.#run(Effect.withTracerEnabled(Effect.sleep(millis), false), () => {
      this.#isHeldBack = false
      this.#turn()
    })
  }

  /** Whether a second attempt may begin after a login, during which the lease may have been lost. Waits for the rate of the endpoint. */
  readonly #mayRepeat: Effect.Effect<boolean> = Effect.suspend(() => {
    const now = this.#now
    if (this.#phase !== "open" || now - this.#contactAt >= this.#host.config.leaseMillis) {
      return Effect.succeed(false)
    }
    const wait = this.#rate.wait(now)
    if (wait > 0) return Effect.andThen(Effect.sleep(wait), this.#mayRepeat)
    this.#rate.begin(now)
    return Effect.succeed(true)
  })

  #sent(delivery: HeldDelivery, exit: Exit.Exit<SendResult>): void {
    const { clock, dueAt, random } = this.#host
    const now = clock.currentTimeMillisUnsafe()
    this.#limit.end(this.#now)
    const sendResult = Exit.isSuccess(exit) ? exit.value : afterDefect(exit, now)
    const result = this.#state.resultOf(delivery, sendResult, now, random.nextDoubleUnsafe())
    if (sendResult.loginFault === undefined && !sendResult.isCut) {
      this.#limit.record(result.status === "DELIVERED")
    }
    if (result.nextAttemptAt !== null && !sendResult.isCut) dueAt(result.nextAttemptAt)
    this.#window.ended(delivery, result)
    if (this.#state.isStopped) this.#stop()
    this.#turn()
  }

  #loginFailed(fault: LoginFault): void {
    const { clock, dueAt } = this.#host
    dueAt(this.#state.loginFailed(fault, clock.currentTimeMillisUnsafe()).retryAt)
    this.#stop()
  }

  #stop(): void {
    this.#mustSettle = true
    this.#phase = "closing"
  }

  #run<A, E>(effect: Effect.Effect<A, E>, then: (exit: Exit.Exit<A, E>) => void): void {
    const fiber = this.#host.fork(effect)
    this.#running.add(fiber)
    fiber.addObserver((exit) => {
      this.#running.delete(fiber)
      if (this.#phase !== "ended") then(exit)
    })
  }
}
