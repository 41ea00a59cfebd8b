/**
 * Tallies added up: what the log is held against.
 */
import type { Tally } from "../mix/Task.ts"
import type { Acknowledged } from "./Delivered.ts"

/** What became of all requests. */
export class Sums implements Acknowledged {
  #good = 0
  #refused = 0
  #timeouts = 0
  #errors = 0
  #messages = 0
  #firstError: string | null = null

  /** Adds what happened since the last tally. */
  add({ errors, firstError, good, kinds, refused, timeouts }: Tally): void {
    this.#good += good
    this.#refused += refused
    this.#timeouts += timeouts
    this.#errors += errors
    this.#messages += kinds.pallet.good + kinds.step.good
    this.#firstError ??= firstError
  }

  get good(): number {
    return this.#good
  }

  get refused(): number {
    return this.#refused
  }

  get timeouts(): number {
    return this.#timeouts
  }

  get errors(): number {
    return this.#errors
  }

  /** Each pallet event and each departure is one message. */
  get messages(): number {
    return this.#messages
  }

  /** Those may have been done or not. */
  get unknown(): number {
    return this.#timeouts + this.#errors
  }

  /** At half load every request has its answer. */
  get faults(): ReadonlyArray<string> {
    const error = this.#firstError === null ? "" : `; the first error: ${this.#firstError}`
    return this.#timeouts + this.#errors === 0
      ? []
      : [`${this.#timeouts} requests had no answer in time, ${this.#errors} failed${error}`]
  }
}
