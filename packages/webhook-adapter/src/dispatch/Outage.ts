/**
 * A storage that is away: told once until it is back, and asked again at the pace of the poll.
 */
import { Cause, Effect } from "effect"

/** Whether the storage is away. */
export class Outage {
  readonly #pollMillis: number
  /** What is known not to work. */
  readonly #told = new Set<string>()

  constructor(pollMillis: number) {
    this.#pollMillis = pollMillis
  }

  /** Something could be done. */
  end(what: string): void {
    this.#told.delete(what)
  }

  /** Something could not be done: tells of it, unless that is known, and waits. */
  failed(what: string, cause: Cause.Cause<unknown>): Effect.Effect<void> {
    return Effect.suspend(() => {
      const isNews = !this.#told.has(what) || Cause.hasDies(cause)
      this.#told.add(what)
      const told = isNews ? Effect.logError(`Webhooks: could not ${what}; trying again`, cause) : Effect.void
      return Effect.andThen(told, Effect.sleep(this.#pollMillis))
    })
  }
}
