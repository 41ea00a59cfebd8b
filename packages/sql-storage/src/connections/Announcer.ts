/**
 * Telling followers of the message log that there may be something new, in this process and in others.
 *
 * Guarantee: writers neither wait nor take a lock for it: an announcement is made after the commit, and
 * notifications go out in statements of their own, at most one at a time for all that was announced meanwhile (D7.3).
 * Lost notifications delay and never lose: followers also look by themselves, every `pollMillis`.
 */
import { Wakeups } from "@dockline/core/FeedSource"
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Latch, Layer, Option, Queue } from "effect"

/** The channel of PostgreSQL that notifications go over. */
const channel = "dockline_messages"

/** A notification of PostgreSQL holds less than 8,000 bytes; slugs are ASCII. */
const payloadLimit = 7000

/** Stands for every business. */
const everything = "*"

/** How long further announcements are gathered before they are sent. */
const gatherMillis = 10

/** How long a broken listener waits before it listens again. */
const relistenMillis = 1000

/** Announcements of new messages. */
export class Announcer extends Context.Service<Announcer, {
  /** Messages of this business have been committed. Does not wait. */
  readonly announce: (business: string) => void
  /** Who is to be woken. */
  readonly wakeups: Wakeups
}>()("@dockline/sql-storage/Announcer") {
  /**
   * Announcements in this process, and through PostgreSQL where the connection is a `PgClient`; without one, other
   * processes see new messages when they look.
   */
  static readonly layer: Layer.Layer<Announcer> = Layer.effect(
    Announcer,
    Effect.gen(function*() {
      const wakeups = new Wakeups()
      const announced = new Set<string>()
      const pending = Latch.makeUnsafe(false)
      const client = yield* Effect.serviceOption(PgClient.PgClient)

      if (Option.isSome(client)) {
        yield* notify(client.value, announced, pending).pipe(Effect.forever, Effect.forkScoped)
        yield* listen(client.value, wakeups).pipe(Effect.forever, Effect.forkScoped)
      }

      return Announcer.of({
        wakeups,
        announce: (business) => {
          wakeups.wake(business)
          if (Option.isNone(client)) return
          announced.add(business)
          pending.openUnsafe()
        }
      })
    })
  )
}

/** Sends what has been announced. What cannot be sent is found by looking, so it is not sent again. */
const notify = (client: PgClient.PgClient, announced: Set<string>, pending: Latch.Latch) =>
  Effect.gen(function*() {
    yield* pending.await
    yield* Effect.sleep(gatherMillis)
    pending.closeUnsafe()
    const payload = Array.from(announced).join(",")
    announced.clear()
    yield* client.notify(channel, payload.length <= payloadLimit ? payload : everything)
  }).pipe(
    Effect.catchCause((cause) => Effect.logDebug("Could not notify other instances of new messages", cause))
  )

/** Listens until the connection breaks. Whatever was missed before it listened may have been anything. */
const listen = (client: PgClient.PgClient, wakeups: Wakeups) =>
  Effect.scoped(Effect.gen(function*() {
    const notifications = yield* client.listen(channel)
    wakeups.wakeAll()
    yield* Queue.take(notifications).pipe(
      Effect.map(({ payload }) => {
        if (payload === everything) wakeups.wakeAll()
        else payload.split(",").forEach((business) => wakeups.wake(business))
      }),
      Effect.forever
    )
  })).pipe(
    Effect.catchCause((cause) => Effect.logDebug("Listening for new messages broke off", cause)),
    Effect.andThen(Effect.sleep(relistenMillis))
  )
