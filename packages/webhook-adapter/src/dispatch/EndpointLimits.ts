/**
 * Limits the requests to one endpoint: the number that begin in a second, by its setting, and the number under way, by the successes and
 * failures of the endpoint.
 */
import type { WebhookConfig } from "../WebhookConfig.ts"
import type { DeliveryWindow } from "./DeliveryWindow.ts"

const second = 1000

/**
 * Limits the number of requests to one endpoint that begin in a second, over all its lanes (D15.3).
 *
 * Guarantee: in any second, a process begins at most the number of requests that the limit allows, not counting logins and test messages.
 * The holder of a lease assumes that an earlier holder began the full number in the second before the lease. So the limit holds across
 * instances, except while an earlier holder is cut off: it may continue until it learns of its successor, for at most `leaseMillis`.
 */
export class RequestRate {
  #perSecond: number
  /** The times when requests of the last second began, the oldest first. */
  readonly #begun: Array<number> = []
  #restsUntil: number

  /** `perSecond` is 0 for no limit. All times are in milliseconds of a monotonic clock. */
  constructor(perSecond: number, now: number) {
    this.#perSecond = perSecond
    this.#restsUntil = now + second
  }

  get perSecond(): number {
    return this.#perSecond
  }

  /** Sets another limit. Without a limit nothing was counted, so a first limit begins like the limit of a new lease. */
  set(perSecond: number, now: number): void {
    if (this.#perSecond === 0) this.#restsUntil = now + second
    this.#perSecond = perSecond
  }

  /** The number of milliseconds before the next request may begin; 0 if it may begin now. */
  wait(now: number): number {
    if (this.#perSecond === 0) return 0
    if (now < this.#restsUntil) return Math.ceil(this.#restsUntil - now)
    while (this.#begun[0] !== undefined && this.#begun[0] + second <= now) this.#begun.shift()
    const last = this.#begun.at(-this.#perSecond)
    return last === undefined ? 0 : Math.ceil(last + second - now)
  }

  begin(now: number): void {
    if (this.#perSecond > 0) this.#begun.push(now)
  }
}

/** The number of failures in a row after which the limit returns to the cautious number. */
const failuresInRow = 8

/** The data about the process that the limit of an endpoint needs. */
interface Process {
  readonly config: WebhookConfig
  /** Whether a worker that is sending this many deliveries may begin one more. */
  readonly mayBegin: (sending: number) => boolean
}

/**
 * Limits the number of deliveries under way to one endpoint: few at first, one more with each success, and few again after several failures
 * in a row.
 *
 * Guarantee: an endpoint that hangs uses few resources, and an endpoint that recovers is not flooded.
 */
export class ConcurrencyLimit {
  readonly #host: Process
  readonly #window: DeliveryWindow
  #sending = 0
  #allowed: number
  #failures = 0
  #movedAt: number
  #isStill = false

  /** Limits the deliveries of `window`. All times are milliseconds of a monotonic clock. */
  constructor(host: Process, window: DeliveryWindow, now: number) {
    this.#host = host
    this.#window = window
    this.#allowed = Math.min(host.config.cautiousConcurrency, host.config.concurrency)
    this.#movedAt = now
  }

  get sending(): number {
    return this.#sending
  }

  /** `sending`; 0 if no delivery had begun or ended for a while at the last `checkProgress`. */
  get moving(): number {
    return this.#isStill ? 0 : this.#sending
  }

  get hasSlot(): boolean {
    return this.#sending < this.#allowed && this.#host.mayBegin(this.#sending)
  }

  /** Whether the limit is reached and no delivery makes progress. */
  get isHanging(): boolean {
    return this.#isStill && this.#sending > 0 && !this.hasSlot
  }

  get wantsMore(): boolean {
    const { text, waiting } = this.#window
    return !this.isHanging && this.room > 0 && text < this.#host.config.windowCharacters &&
      (waiting < this.#target / 2 || this.hasSlot)
  }

  get room(): number {
    return Math.min(this.#host.config.windowMessages - this.#window.size, this.#target)
  }

  begin(now: number): void {
    this.#sending++
    this.#moved(now)
  }

  end(now: number): void {
    this.#sending--
    this.#moved(now)
  }

  record(success: boolean): void {
    const { cautiousConcurrency, concurrency } = this.#host.config
    if (success) {
      this.#failures = 0
      this.#allowed = Math.min(this.#allowed + 1, concurrency)
    } else if (++this.#failures >= failuresInRow) {
      this.#allowed = Math.min(cautiousConcurrency, concurrency)
    }
  }

  checkProgress(since: number): void {
    this.#isStill = this.#movedAt <= since
  }

  /** The desired number of waiting messages: few for an endpoint that fails, many for a fast endpoint. */
  get #target(): number {
    return Math.ceil(this.#allowed ** 2 / 2)
  }

  #moved(now: number): void {
    this.#movedAt = now
    this.#isStill = false
  }
}
