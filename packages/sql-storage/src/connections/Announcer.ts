/**
 * Notifies the followers of the message log, in this process and in others, of new messages.
 *
 * Guarantee: a writer neither waits for followers nor locks anything for them. An announcement follows the commit, and one notification
 * covers all announcements since the previous one (D7.3). A lost notification only delays messages, because followers also look every
 * `pollMillis` (core's `MessageFeed`).
 */
import { everything as everyBusiness } from "@dockline/core/access/Access"
import { Wakeups } from "@dockline/core/messages/Follower"
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Latch, Layer, Option, Queue } from "effect"
import { SqlClient } from "effect/sql"

const channel = "dockline_messages"

/** A notification of PostgreSQL holds less than 8,000 bytes; slugs are ASCII. */
const payloadLimit = 7000

/** The payload for new messages of any business. */
const everything = "*"

const gatherMillis = 10

const relistenMillis = 1000

/** Announces messages to the followers of this process and of others. */
export class Announcer extends Context.Service<Announcer, {
  /** Announces that messages of a business have been committed. It does not wait. */
  readonly announce: (business: string) => void
  /** The followers of this process. */
  readonly wakeups: Wakeups
}>()("@dockline/sql-storage/Announcer") {
  /**
   * Announces in this process, and through PostgreSQL if the client is a `PgClient`. Otherwise other processes see new messages at their
   * next poll.
   */
  static readonly layer: Layer.Layer<Announcer> = Layer.effect(
    Announcer,
    Effect.gen(function*() {
      const wakeups = new Wakeups()
      const businesses = new Set<string>()
      const pending = Latch.makeUnsafe(false)
      const client = yield* Effect.serviceOption(PgClient.PgClient)

      if (Option.isSome(client)) {
        yield* notify(client.value, businesses, pending).pipe(Effect.forever, Effect.forkScoped)
        yield* listen(client.value, wakeups).pipe(Effect.forever, Effect.forkScoped)
      }

      return Announcer.of({
        wakeups,
        announce: (business) => {
          wakeups.wake(business)
          if (Option.isNone(client)) return
          businesses.add(business)
          pending.openUnsafe()
        }
      })
    })
  )
}

/** Announces that a business has new messages: after the commit of the current transaction, or at once if there is none. */
export const announcing = Effect.map(
  Effect.all([SqlClient.SqlClient, Announcer]),
  ([sql, { announce }]) => (business: string) => sql.afterCommit(Effect.sync(() => announce(business)))
)

/** Calls `wake` at each announcement for any business, until the scope closes. */
export const watching = Effect.map(
  Announcer,
  ({ wakeups }) => (wake: () => void) =>
    Effect.asVoid(Effect.acquireRelease(
      Effect.sync(() => wakeups.add(everyBusiness, wake)),
      (leave) => Effect.sync(leave)
    ))
)

/** Sends the announcements. A failed one is not repeated, because followers poll. */
const notify = (client: PgClient.PgClient, businesses: Set<string>, pending: Latch.Latch) =>
  Effect.gen(function*() {
    yield* pending.await
    yield* Effect.sleep(gatherMillis)
    pending.closeUnsafe()
    const payload = Array.from(businesses).join(",")
    businesses.clear()
    yield* client.notify(channel, payload.length <= payloadLimit ? payload : everything)
  }).pipe(
    Effect.catchCause((cause) => Effect.logDebug("Could not notify other instances of new messages", cause))
  )

/** Listens until the connection breaks. At first it wakes all followers, because notifications may have been missed. */
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
