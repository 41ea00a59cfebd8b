/**
 * One statement at a time for all who need one: what piled up while the last one ran goes into the next.
 *
 * Guarantee: nobody waits for a timer, and the number of statements does not grow with the number of those who ask. One
 * for whom the statement breaks does not keep the others from theirs.
 */
import { Cause, Effect, Latch } from "effect"
import type { Outage } from "./Outage.ts"

/** A statement for several at once. */
export interface Statement<Member, Item, E> {
  /** What it does, for the log. */
  readonly name: string
  /** Who takes part now, by removing them from those who ask; the others wait for the next one, or for a nudge. */
  readonly choose: (asking: Set<Member>) => ReadonlyArray<Item>
  readonly run: (items: ReadonlyArray<Item>) => Effect.Effect<void, E>
  /** It could not be run for one of them. */
  readonly failed: (item: Item) => void
}

/** Those who ask, in the order in which they did. */
export class GroupCommit<Member> {
  readonly #asking = new Set<Member>()
  readonly #woken = Latch.makeUnsafe(false)

  /** Puts a member into the next statement, once however often it asks. */
  ask(member: Member): void {
    this.#asking.add(member)
    this.#woken.openUnsafe()
  }

  /** Takes a member out of the next statement. */
  withdraw(member: Member): void {
    this.#asking.delete(member)
  }

  /** Looks again whether those who ask can be served. */
  nudge(): void {
    if (this.#asking.size > 0) this.#woken.openUnsafe()
  }

  /** Runs a statement for those who ask, again and again. */
  run<Item, E>(statement: Statement<Member, Item, E>, outage: Outage): Effect.Effect<never> {
    const attempt = (items: ReadonlyArray<Item>): Effect.Effect<void> =>
      statement.run(items).pipe(
        Effect.andThen(Effect.sync(() => outage.end(statement.name))),
        Effect.catchCause((cause) => {
          if (Cause.hasInterrupts(cause)) return Effect.interrupt
          if (Cause.hasDies(cause) && items.length > 1) {
            return Effect.forEach(items, (item) => attempt([item]), { discard: true })
          }
          // They know at once, and ask again if they like; the next statement comes after the wait.
          items.forEach(statement.failed)
          return outage.failed(statement.name, cause)
        })
      )
    const next = Effect.suspend(() => {
      this.#woken.closeUnsafe()
      const items = statement.choose(this.#asking)
      return items.length === 0
        ? Effect.void
        : Effect.andThen(attempt(items), Effect.sync(() => this.nudge()))
    })
    // The first who asks does not run it: all who ask in the same turn take part.
    const woken = Effect.andThen(this.#woken.await, Effect.yieldNow)
    return Effect.forever(Effect.andThen(woken, next))
  }
}
