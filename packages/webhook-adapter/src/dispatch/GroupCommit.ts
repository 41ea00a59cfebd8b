/**
 * Runs one statement at a time for all members that need it; requests that arrive meanwhile go into the next. No
 * member waits for a timer, and a member whose request breaks the statement does not fail the others.
 */
import { Cause, Effect, Latch } from "effect"

/** The most endpoints that one statement serves. */
export const batchLimit = 256

export interface Statement<Member, Item, E> {
  /** What the statement does, for the log. */
  readonly name: string
  /**
   * Removes the members of the items that it chooses from `asking`. The others wait for the next statement or for
   * `nudge`.
   */
  readonly choose: (asking: Set<Member>) => ReadonlyArray<Item>
  readonly run: (items: ReadonlyArray<Item>) => Effect.Effect<void, E>
  readonly failed: (item: Item) => void
}

export class GroupCommit<Member> {
  readonly #asking = new Set<Member>()
  readonly #woken = Latch.makeUnsafe(false)

  /** Asking twice has no further effect. */
  ask(member: Member): void {
    this.#asking.add(member)
    this.#woken.openUnsafe()
  }

  withdraw(member: Member): void {
    this.#asking.delete(member)
  }

  nudge(): void {
    if (this.#asking.size > 0) this.#woken.openUnsafe()
  }

  run<Item, E>(statement: Statement<Member, Item, E>, failures: StorageFailures): Effect.Effect<never> {
    const attempt = (items: ReadonlyArray<Item>): Effect.Effect<void> =>
      statement.run(items).pipe(
        Effect.andThen(Effect.sync(() => failures.succeeded(statement.name))),
        Effect.catchCause((cause) => {
          if (Cause.hasInterrupts(cause)) return Effect.interrupt
          if (Cause.hasDies(cause) && items.length > 1) {
            return Effect.forEach(items, (item) => attempt([item]), { discard: true })
          }
          // The members learn of the failure at once and may ask again; the next statement starts after the wait.
          items.forEach(statement.failed)
          return failures.failed(statement.name, cause)
        })
      )
    const next = Effect.suspend(() => {
      this.#woken.closeUnsafe()
      const items = statement.choose(this.#asking)
      return items.length === 0
        ? Effect.void
        : Effect.andThen(attempt(items), Effect.sync(() => this.nudge()))
    })
    // The statement does not run in the turn of the first request, so that all requests of that turn take part.
    const woken = Effect.andThen(this.#woken.await, Effect.yieldNow)
    return Effect.forever(Effect.andThen(woken, next))
  }
}

/** Logs the failure of a statement once until it succeeds again; the next try waits for the poll interval. */
export class StorageFailures {
  readonly #pollMillis: number
  readonly #told = new Set<string>()

  constructor(pollMillis: number) {
    this.#pollMillis = pollMillis
  }

  succeeded(what: string): void {
    this.#told.delete(what)
  }

  failed(what: string, cause: Cause.Cause<unknown>): Effect.Effect<void> {
    return Effect.suspend(() => {
      const isNews = !this.#told.has(what) || Cause.hasDies(cause)
      this.#told.add(what)
      const told = isNews ? Effect.logError(`Webhooks: could not ${what}; trying again`, cause) : Effect.void
      return Effect.andThen(told, Effect.sleep(this.#pollMillis))
    })
  }
}
