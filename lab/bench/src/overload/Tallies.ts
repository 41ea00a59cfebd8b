/**
 * Counts the outcomes of the requests, from one tally to the next.
 */
import { percentile } from "../Report.ts"
import type { Tally } from "./Task.ts"

/** The outcome of a request. */
export type Fate = "good" | "refused" | "timeout" | "error"

/** The outcome for an answer: any 2xx is good, and a refusal has `Retry-After`. */
export const fateOf = (status: number, retryAfter: number | undefined): Fate =>
  status === 200 || status === 201
    ? "good"
    : (status === 429 || status === 503) && retryAfter !== undefined
    ? "refused"
    : "error"

const nothing = { due: 0, held: 0, good: 0, refused: 0, timeout: 0, error: 0 }

/** The counters. Times are in milliseconds of `performance.now()`. */
export class Tallies {
  #since: number
  #counts = { ...nothing }
  #latencies: Array<number> = []
  #firstError: string | null = null

  constructor(now: number) {
    this.#since = now
  }

  /** A request became due, and was sent or left out. */
  due(isHeld: boolean): void {
    this.#counts.due += 1
    if (isHeld) this.#counts.held += 1
  }

  /** A request has ended; `millis` counts from when it was due, `what` says what an error was. */
  ended(fate: Fate, millis: number, what: () => string): void {
    this.#counts[fate] += 1
    if (fate === "good") this.#latencies.push(millis)
    else if (fate === "error") this.#firstError ??= what().slice(0, 1000)
  }

  /** The counts since the last call; they begin again at 0. */
  take(now: number, inFlight: number): Tally {
    const { due, error, good, held, refused, timeout } = this.#counts
    const tally: Tally = {
      seconds: (now - this.#since) / 1000,
      due,
      held,
      good,
      refused,
      timeouts: timeout,
      errors: error,
      firstError: this.#firstError,
      p50: percentile(this.#latencies, 0.5),
      p99: percentile(this.#latencies, 0.99),
      inFlight
    }
    this.#since = now
    this.#counts = { ...nothing }
    this.#latencies = []
    this.#firstError = null
    return tally
  }
}
