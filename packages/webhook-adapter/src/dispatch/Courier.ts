/**
 * Delivers the messages of one endpoint, as long as its lease lasts (D9.3, D9.4).
 *
 * A courier does nothing by itself: it is told what was taken and written, what time it is, that there may be more. It
 * answers by asking for the next take or settlement, and by sending.
 *
 * Guarantee: what has been sent is settled before anything else of its shipment is sent. Without contact to the
 * storage nothing is begun, so that a process that was paused does not go on from what it knew. Once the lease is lost
 * nothing is sent or written any more.
 */
import type { DeliveryResult } from "@dockline/core/Delivery"
import type { Lease, OpenedEndpoint, Settlement, TakeRequest, TakeResult } from "@dockline/core/DeliveryStore"
import { fromMillis } from "@dockline/core/Timestamp"
import type { LoginWait, WebhookEndpoint } from "@dockline/core/WebhookEndpoint"
import { Exit, Latch } from "effect"
import type { Effect, Fiber } from "effect"
import { Admission } from "./Admission.ts"
import { traced } from "./DeliverySpan.ts"
import { EndpointState } from "./EndpointState.ts"
import type { Held, WindowSettlement } from "./Lane.ts"
import type { Office } from "./Office.ts"
import { Pace } from "./Pace.ts"
import * as Retry from "./Retry.ts"
import { broken, monotonicMillis } from "./Sending.ts"
import type { Sent } from "./Sending.ts"
import { Window } from "./Window.ts"

/** Delivers the messages of one endpoint. */
export class Courier {
  readonly lease: Lease
  /** Open once the courier has ended. */
  readonly ended: Latch.Latch = Latch.makeUnsafe(false)
  readonly #office: Office
  readonly #window: Window
  readonly #pace: Pace
  readonly #admission: Admission
  readonly #state: EndpointState
  readonly #running = new Set<Fiber.Fiber<unknown, unknown>>()
  #endpoint: WebhookEndpoint
  #phase: "open" | "closing" | "ended" = "open"
  /** Whether the store may have more. */
  #wantsTake = true
  #taking = false
  #takenAt: number
  #contactAt: number
  #heldText = 0
  #moving = 0
  /** Whether there is something to write apart from messages, or contact to be made. */
  #mustSettle = false
  /** Whether the last settlement was written: nothing is begun whose outcome cannot be. */
  #canWrite = true
  #writing: WindowSettlement | undefined
  #writingSince = 0

  constructor({ endpoint, lease }: OpenedEndpoint, office: Office) {
    this.lease = lease
    this.#office = office
    this.#endpoint = endpoint
    this.#window = new Window(endpoint.cursorId)
    this.#state = new EndpointState(endpoint, (line) => office.fork(line))
    this.#contactAt = monotonicMillis(office.clock)
    this.#takenAt = this.#contactAt
    this.#pace = new Pace(office, this.#window, this.#contactAt)
    this.#admission = new Admission(office.accesses, (effect, then) => this.#run(effect, then), {
      moved: () => this.#turn(),
      failed: (error) => this.#loginFailed(error)
    })
  }

  /** Begins. */
  start(): void {
    this.#admission.open(this.#endpoint)
  }

  /** Whether there is nothing to do, so that it may be let go. */
  get isIdle(): boolean {
    return this.#phase === "open" && !this.#admission.isPending && this.#pace.sending === 0 &&
      !this.#wantsTake &&
      !this.#taking && !this.#isDirty && this.#window.isEmpty
  }

  /** There may be more to take. */
  wake(): void {
    this.#wantsTake = true
    this.#turn()
  }

  /** Time passes: what waits behind a delivery that hangs is put off, and the storage is asked what has changed. */
  tick(): void {
    if (this.#phase !== "open") return
    const now = monotonicMillis(this.#office.clock)
    const since = now - this.#office.config.stallMillis
    this.#pace.look(since)
    this.#window.relieve(since, this.#pace.isHanging)
    if (this.#takenAt <= since && (this.#pace.sending > 0 || this.#window.waiting > 0)) this.#wantsTake = true
    this.#turn()
  }

  /** Begins nothing more; ends when what is on its way has ended and is written. */
  close(): void {
    if (this.#phase !== "open") return
    this.#phase = "closing"
    this.#turn()
  }

  /** Ends at once: the lease is lost, or nothing can be waited for any more. */
  drop(lost: boolean): void {
    if (this.#phase === "ended") return
    this.#phase = "ended"
    for (const fiber of this.#running) fiber.interruptUnsafe()
    this.#account(0, 0)
    this.ended.openUnsafe()
    this.#office.left(this, lost)
  }

  /** Whether there is something to write, or contact to be made. */
  get mustSettle(): boolean {
    return this.#phase !== "ended" && (this.#mustSettle || this.#window.isDirty)
  }

  /** Characters that it holds, of payloads and answers. */
  get text(): number {
    return this.#heldText
  }

  /** The most payload it may ask for now; none when it would not ask. */
  get textRoom(): number {
    return this.#canTake ? Math.max(this.#office.config.windowText - this.#window.text, 1) : 0
  }

  /** Asks for its next messages. */
  beginTake(textLimit: number): TakeRequest {
    this.#taking = true
    this.#wantsTake = false
    this.#takenAt = monotonicMillis(this.#office.clock)
    return {
      lease: this.lease,
      version: this.#endpoint.version,
      afterId: this.#window.readTo,
      taken: this.#window.beginTake(),
      limit: this.#pace.isHungry ? Math.max(this.#pace.room, 1) : 1,
      textLimit
    }
  }

  /** What the store said; `undefined` when it could not be asked. */
  endTake(result: TakeResult | undefined): void {
    this.#taking = false
    if (this.#phase === "ended") return
    if (result?._tag === "lost") return this.drop(true)
    if (result?._tag === "taken") {
      const { endpoint, expiredUpTo, more } = result.taken
      this.#contactAt = this.#takenAt
      this.#wantsTake ||= more
      this.#window.accept(result.taken, this.#office.clock.currentTimeMillisUnsafe())
      if (expiredUpTo !== undefined) this.#state.expired(expiredUpTo)
      this.#mustSettle ||= expiredUpTo !== undefined
      if (endpoint !== undefined) {
        this.#endpoint = endpoint
        this.#admission.open(endpoint)
      }
    } else {
      this.#window.endTake()
      if (result?._tag === "closed") return this.close()
      this.#wantsTake = true
    }
    this.#turn()
  }

  /** What is to be written now. */
  beginSettlement(): Settlement {
    this.#writing = this.#window.settlement()
    this.#writingSince = monotonicMillis(this.#office.clock)
    this.#mustSettle = false
    const { cursorId, parked, results } = this.#writing
    return { lease: this.lease, cursorId, results, parked, ...this.#state.written }
  }

  /** Whether it was written; `undefined` when it is not known, so that it has to be written again. */
  endSettlement(held: boolean | undefined): void {
    const written = this.#writing
    this.#writing = undefined
    if (this.#phase === "ended") return
    if (held === false) return this.drop(true)
    this.#canWrite = held !== undefined && written !== undefined
    if (held === undefined || written === undefined) this.#mustSettle = true
    else {
      this.#contactAt = this.#writingSince
      if (this.#window.commit(written)) this.#wantsTake = true
    }
    this.#turn()
  }

  get #isDirty(): boolean {
    return this.mustSettle || this.#writing !== undefined
  }

  get #canTake(): boolean {
    if (this.#phase !== "open" || !this.#wantsTake || this.#taking) return false
    if (this.#admission.access === undefined) return false
    // Now and then it is asked anyway: the endpoint may have been changed or disabled.
    const isLate = monotonicMillis(this.#office.clock) - this.#takenAt >= this.#office.config.stallMillis
    return this.#pace.isHungry || isLate
  }

  /** Does what can be done now. */
  #turn(): void {
    if (this.#phase === "ended") return
    if (this.#phase === "open") this.#sendOn()
    this.#account()
    if (this.#isDirty) this.#office.askSettle(this)
    else if (this.#phase === "closing" && this.#pace.sending === 0) return this.drop(false)
    if (this.#canTake) this.#office.askTake(this)
  }

  #account(text = this.#window.text, moving = this.#pace.moving): void {
    if (text !== this.#heldText) this.#office.held(text - this.#heldText)
    if (moving !== this.#moving) this.#office.moving(this.#moving, moving)
    this.#heldText = text
    this.#moving = moving
  }

  #sendOn(): void {
    const { clock, config } = this.#office
    const { access } = this.#admission
    if (access === undefined) return
    while (this.#pace.hasSlot && this.#window.isReady) {
      const now = monotonicMillis(clock)
      if (now - this.#contactAt >= config.leaseMillis || !this.#canWrite) {
        this.#mustSettle = true
        return
      }
      const authorization = this.#admission.authorization()
      if (authorization === undefined) return
      this.#state.signedIn()
      const held = this.#window.next(now)
      if (held === undefined) return
      this.#pace.begin(now)
      this.#account()
      const send = this.#office.send(held.message, access, authorization, this.#mayRepeat)
      this.#run(traced(held, this.#endpoint, send), (exit) => this.#sent(held, exit))
    }
  }

  /** Whether a delivery may be sent again at once: a login lies between, in which the lease may have been lost. */
  readonly #mayRepeat = (): boolean =>
    this.#phase === "open" &&
    monotonicMillis(this.#office.clock) - this.#contactAt < this.#office.config.leaseMillis

  #sent(held: Held, exit: Exit.Exit<Sent>): void {
    const now = this.#office.clock.currentTimeMillisUnsafe()
    this.#pace.end(monotonicMillis(this.#office.clock))
    this.#window.ended(held, this.#resultOf(held, Exit.isSuccess(exit) ? exit.value : broken(exit, now)))
    this.#turn()
  }

  #resultOf({ message, progress }: Held, sent: Sent): DeliveryResult {
    const { clock, config, random } = this.#office
    const { attempts, loginError, retryAfter, status } = sent
    const now = clock.currentTimeMillisUnsafe()
    const { id: messageId, shipmentId, type: messageType } = message
    const result = { messageId, messageType, shipmentId, attempts }
    if (loginError !== undefined) {
      const { retryAt } = this.#loginFailed(loginError)
      return { ...result, ...progress, status: "PENDING", nextAttemptAt: retryAt }
    }
    if (sent.isCut) return { ...result, ...progress, status: "PENDING", nextAttemptAt: fromMillis(now) }
    const { disable, failingSince, ...verdict } = Retry.decide(config, {
      progress,
      failingSince: this.#state.failingSince,
      status,
      retryAfter,
      now,
      chance: random.nextDoubleUnsafe()
    })
    this.#pace.judged(verdict.status === "DELIVERED")
    this.#state.fails(failingSince, status === null ? attempts.at(-1)!.error : `it answered ${status}`)
    if (disable !== undefined) {
      this.#state.disable(disable)
      this.#phase = "closing"
    }
    if (verdict.nextAttemptAt !== null) this.#office.dueAt(verdict.nextAttemptAt)
    return { ...result, ...verdict }
  }

  /** The endpoint waits, and no delivery of it is to blame. */
  #loginFailed(error: string): LoginWait {
    const { clock, config, dueAt } = this.#office
    // Those that were on their way together meet the same failure.
    if (this.#phase !== "open" && this.#state.login !== null) return this.#state.login
    const login = this.#state.loginFailed(error, config.loginDelays, clock.currentTimeMillisUnsafe())
    this.#mustSettle = true
    this.#phase = "closing"
    dueAt(login.retryAt)
    return login
  }

  #run<A, E>(effect: Effect.Effect<A, E>, then: (exit: Exit.Exit<A, E>) => void): void {
    const fiber = this.#office.fork(effect)
    this.#running.add(fiber)
    fiber.addObserver((exit) => {
      this.#running.delete(fiber)
      if (this.#phase !== "ended") then(exit)
    })
  }
}
