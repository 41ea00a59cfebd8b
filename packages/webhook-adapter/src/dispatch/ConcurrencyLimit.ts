/**
 * Limits how many deliveries are under way to one endpoint: few at first, one more with each success, and few again
 * after failures. An endpoint that hangs holds few resources, and an endpoint that recovers is not flooded.
 */
import type { DeliveryWindow } from "./DeliveryWindow.ts"
import type { WorkerHost } from "./WorkerHost.ts"

/** How many deliveries must fail in a row before the limit falls back to the cautious number. */
const failuresInRow = 8

export class ConcurrencyLimit {
  readonly #host: Pick<WorkerHost<never>, "config" | "mayBegin">
  readonly #window: DeliveryWindow
  #sending = 0
  #allowed: number
  #failures = 0
  #movedAt: number
  #isStill = false

  /** Limits the deliveries of `window`. All times are milliseconds of a monotonic clock. */
  constructor(host: Pick<WorkerHost<never>, "config" | "mayBegin">, window: DeliveryWindow, now: number) {
    this.#host = host
    this.#window = window
    this.#allowed = Math.min(host.config.cautiousConcurrency, host.config.concurrency)
    this.#movedAt = now
  }

  get sending(): number {
    return this.#sending
  }

  /** `sending`, or 0 when no delivery had begun or ended for a while at the last `checkProgress`. */
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
    return !this.isHanging && this.room > 0 && text < this.#host.config.windowText &&
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

  /** The number of waiting messages to aim for: few for an endpoint that fails, many for a fast one. */
  get #target(): number {
    return Math.ceil(this.#allowed ** 2 / 2)
  }

  #moved(now: number): void {
    this.#movedAt = now
    this.#isStill = false
  }
}
