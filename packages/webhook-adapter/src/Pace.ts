/**
 * How many deliveries may be on their way to one endpoint: few at first, one more with each that succeeds, and few
 * again where none does. An endpoint that hangs holds little, and one that comes back is not run over.
 */
import type { WebhookConfig } from "./WebhookConfig.ts"

/** How many in a row must fail until few are on their way. */
const failuresInRow = 8

/** The pace of one endpoint. */
export class Pace {
  readonly #config: Pick<WebhookConfig, "concurrency" | "cautiousConcurrency">
  #allowed: number
  #failures = 0
  #movedAt: number
  #isStill = false

  /** `now` by a clock that never goes back, in milliseconds; as all times here. */
  constructor(config: Pick<WebhookConfig, "concurrency" | "cautiousConcurrency">, now: number) {
    this.#config = config
    this.#allowed = Math.min(config.cautiousConcurrency, config.concurrency)
    this.#movedAt = now
  }

  /** How many may be on their way. */
  get allowed(): number {
    return this.#allowed
  }

  /** How many are worth holding: little of what nobody takes, and plenty for one who is quick. */
  get appetite(): number {
    return Math.ceil(this.#allowed ** 2 / 2)
  }

  /** Whether nothing has begun or ended for a while, as of the last look. */
  get isStill(): boolean {
    return this.#isStill
  }

  /** A delivery begins or ends. */
  moved(now: number): void {
    this.#movedAt = now
    this.#isStill = false
  }

  /** Whether it was a success. */
  judged(success: boolean): void {
    if (success) {
      this.#failures = 0
      this.#allowed = Math.min(this.#allowed + 1, this.#config.concurrency)
    } else if (++this.#failures >= failuresInRow) {
      this.#allowed = Math.min(this.#config.cautiousConcurrency, this.#config.concurrency)
    }
  }

  /** Looks whether nothing has begun or ended since a time. */
  look(since: number): void {
    this.#isStill = this.#movedAt <= since
  }
}
