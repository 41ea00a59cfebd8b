/**
 * Counts what becomes of the requests, from one tally to the next.
 */
import { percentile } from "../Report.ts"
import { kinds } from "./Life.ts"
import type { Kind } from "./Life.ts"
import type { Tally, Times } from "./Task.ts"

/** What became of a request. */
export type Fate = "good" | "refused" | "timeout" | "error"

/** What became of an answer: any 2xx is good, and a refusal says when to come again. */
export const fateOf = (status: number, retryAfter: number | undefined): Fate =>
  status === 200 || status === 201
    ? "good"
    : (status === 429 || status === 503) && retryAfter !== undefined
    ? "refused"
    : "error"

const timesOf = (latencies: ReadonlyArray<number>): Times => {
  const sorted = Float64Array.from(latencies).sort()
  return { good: sorted.length, p50: percentile(sorted, 0.5), p99: percentile(sorted, 0.99) }
}

const emptyLatencies = (): Record<Kind, Array<number>> => ({
  document: [],
  pallet: [],
  step: [],
  shipment: [],
  messages: []
})

const writes: ReadonlySet<Kind> = new Set(["document", "pallet", "step"])

const nothing = { due: 0, held: 0, good: 0, refused: 0, timeout: 0, error: 0 }

/** The counters. Times are in milliseconds of `performance.now()`. */
export class Tallies {
  #since: number
  #counts = { ...nothing }
  #latencies = emptyLatencies()
  #firstError: string | null = null
  #writtenAt: number
  #silence = 0

  constructor(now: number) {
    this.#since = now
    this.#writtenAt = now
  }

  /** A request fell due, and was sent or left out. */
  due(isHeld: boolean): void {
    this.#counts.due += 1
    if (isHeld) this.#counts.held += 1
  }

  /** A request has ended; `millis` counts from when it was due, `what` says what an error was. */
  ended(now: number, kind: Kind, fate: Fate, millis: number, what: () => string): void {
    this.#counts[fate] += 1
    if (fate === "good") {
      this.#latencies[kind].push(millis)
      if (writes.has(kind)) this.#written(now)
    } else if (fate === "error") this.#firstError ??= what().slice(0, 1000)
  }

  /** What happened since the last time, and counts from 0 again. */
  take(now: number, inFlight: number): Tally {
    const { due, error, held, refused, timeout } = this.#counts
    const latencies = this.#latencies
    const tally: Tally = {
      seconds: (now - this.#since) / 1000,
      due,
      held,
      refused,
      timeouts: timeout,
      errors: error,
      firstError: this.#firstError,
      silence: Math.max(this.#silence, now - this.#writtenAt),
      ...timesOf(kinds.flatMap((kind) => latencies[kind])),
      kinds: {
        document: timesOf(latencies.document),
        pallet: timesOf(latencies.pallet),
        step: timesOf(latencies.step),
        shipment: timesOf(latencies.shipment),
        messages: timesOf(latencies.messages)
      },
      inFlight
    }
    this.#since = now
    this.#counts = { ...nothing }
    this.#latencies = emptyLatencies()
    this.#firstError = null
    this.#writtenAt = now
    this.#silence = 0
    return tally
  }

  #written(now: number): void {
    this.#silence = Math.max(this.#silence, now - this.#writtenAt)
    this.#writtenAt = now
  }
}
