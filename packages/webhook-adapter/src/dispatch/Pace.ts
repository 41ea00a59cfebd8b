/**
 * How many deliveries may be on their way to one endpoint: few at first, one more with each that succeeds, and few
 * again where none does. An endpoint that hangs holds little, and one that comes back is not run over.
 */
import type { Office } from "./Office.ts"
import type { Window } from "./Window.ts"

/** How many in a row must fail until few are on their way. */
const failuresInRow = 8

/** The pace of one endpoint. */
export class Pace {
  readonly #office: Pick<Office, "config" | "mayBegin">
  readonly #window: Pick<Window, "size" | "text" | "waiting">
  #sending = 0
  #allowed: number
  #failures = 0
  #movedAt: number
  #isStill = false

  /** For what is held in a window. `now` by a clock that never goes back, in milliseconds; as all times here. */
  constructor(
    office: Pick<Office, "config" | "mayBegin">,
    window: Pick<Window, "size" | "text" | "waiting">,
    now: number
  ) {
    this.#office = office
    this.#window = window
    this.#allowed = Math.min(office.config.cautiousConcurrency, office.config.concurrency)
    this.#movedAt = now
  }

  /** How many are on their way. */
  get sending(): number {
    return this.#sending
  }

  /** How many of them move on: none where nothing has begun or ended for a while, as of the last look. */
  get moving(): number {
    return this.#isStill ? 0 : this.#sending
  }

  /** Whether one more may be on its way. */
  get hasSlot(): boolean {
    return this.#sending < this.#allowed && this.#office.mayBegin(this.#sending)
  }

  /** Whether as many are on their way as may be, and none of them moves on. */
  get isHanging(): boolean {
    return this.#isStill && this.#sending > 0 && !this.hasSlot
  }

  /** Whether more should be held than is. */
  get isHungry(): boolean {
    const { text, waiting } = this.#window
    return !this.isHanging && this.room > 0 && text < this.#office.config.windowText &&
      (waiting < this.#appetite / 2 || this.hasSlot)
  }

  /** How many more it is worth to hold. */
  get room(): number {
    return Math.min(this.#office.config.windowMessages - this.#window.size, this.#appetite)
  }

  /** A delivery begins. */
  begin(now: number): void {
    this.#sending++
    this.#moved(now)
  }

  /** A delivery has ended. */
  end(now: number): void {
    this.#sending--
    this.#moved(now)
  }

  /** Whether it was a success. */
  judged(success: boolean): void {
    const { cautiousConcurrency, concurrency } = this.#office.config
    if (success) {
      this.#failures = 0
      this.#allowed = Math.min(this.#allowed + 1, concurrency)
    } else if (++this.#failures >= failuresInRow) {
      this.#allowed = Math.min(cautiousConcurrency, concurrency)
    }
  }

  /** Looks whether nothing has begun or ended since a time. */
  look(since: number): void {
    this.#isStill = this.#movedAt <= since
  }

  /** Little of what nobody takes, and plenty for one who is quick. */
  get #appetite(): number {
    return Math.ceil(this.#allowed ** 2 / 2)
  }

  #moved(now: number): void {
    this.#movedAt = now
    this.#isStill = false
  }
}
