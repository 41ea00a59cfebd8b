/** What clients of one server were told by now, counted as it happens. */
import { writes } from "../checker/ServiceRules.ts"
import type { Event } from "../history/History.ts"
import type { Recorder } from "../history/Record.ts"

/** What there was. */
export interface Counts {
  /** Writes that were acknowledged: a server that only reads has not recovered. */
  acknowledged: number
  /** Calls that were refused because the database was away. */
  away: number
  /** Calls whose connection broke, or that nobody took. */
  lost: number
}

/** Counts from now on. */
export class Watch {
  readonly counts: Counts = { acknowledged: 0, away: 0, lost: 0 }
  readonly #recorder: Recorder
  /** The calls under way that write. */
  readonly #writing = new Set<number>()

  constructor(recorder: Recorder) {
    this.#recorder = recorder
    recorder.watch((event) => this.#count(event))
  }

  /** Waits until the counts are as said, as long as given; says whether they are. */
  until(holds: (counts: Counts) => boolean, millis: number): Promise<boolean> {
    return this.#recorder.until(() => holds(this.counts), millis)
  }

  #count(event: Event): void {
    if (event.type === "invoke" && writes.has(event.asked.operation)) this.#writing.add(event.call)
    if (event.type === "ok" && this.#writing.has(event.call)) this.counts.acknowledged++
    if (event.type === "refused" && event.status === 0) this.counts.lost++
    if (event.type !== "unknown") return
    if (event.reason === "503 STORAGE_UNAVAILABLE") this.counts.away++
    // A client that lost its patience says nothing of the server.
    else if (!/^\d|TimeoutError/.test(event.reason)) this.counts.lost++
  }
}
