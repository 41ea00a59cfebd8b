/**
 * Follows the message log with one reader for each followed business in this process and a `Follower` for each consumer.
 *
 * Guarantee: wake-ups may be lost, repeated or late: they decide when the log is read, never what is read. The reader
 * waits for no consumer.
 */
import { Cause, Context, Effect, Latch, RcMap, Scope, Stream } from "effect"
import * as TraceContext from "../values/TraceContext.ts"
import { MessageTypes } from "../values/Vocabulary.ts"
import { Follower, LiveMessages, pageSize } from "./Follower.ts"
import type { FeedSource, FollowOptions } from "./Follower.ts"
import type { Message, MessageQuery } from "./Message.ts"
import type { MessageLog, MessageLogSettings } from "./MessageLog.ts"

/** The reader lets consumers run after this number of messages, so that a burst does not fill the buffer of a fast consumer. */
const sliceSize = 50

/** How long a business is still read after its last consumer has left, for consumers that return: 30 seconds. */
const idleMillis = 30_000

/** Makes a span in the message's trace, if it has one, when the message is passed on in this process. */
const tracePublished = (message: Message): Effect.Effect<void> => {
  const parent = TraceContext.toSpan(message.trace)
  if (parent === undefined) return Effect.void
  const { business, id, type } = message
  return Effect.useSpan(
    `publish ${type}`,
    { parent, kind: "consumer", attributes: { "dockline.business": business, "dockline.message.id": id } },
    () => Effect.void
  )
}

/** Reads new messages of a business while the scope lasts, once its live messages are open. */
const readLive = Effect.fnUntraced(function*(
  source: FeedSource,
  business: string,
  settings: MessageLogSettings
) {
  const wakeUp = Latch.makeUnsafe(false)
  yield* source.wakeups.watch(business, () => wakeUp.openUnsafe())
  const opening = Latch.makeUnsafe(false)
  const live = new LiveMessages(settings.recentLimit)
  const query: MessageQuery = { business, facility: undefined, types: yield* MessageTypes }

  const readOn = Effect.gen(function*() {
    // The latch is closed before the read, so that messages appended during the read open it again.
    wakeUp.closeUnsafe()
    const { messages, more, lastId } = yield* Effect.withTracerEnabled(
      source.read(query, { afterId: live.at }, pageSize),
      false
    )
    for (let start = 0; start < messages.length; start += sliceSize) {
      const slice = messages.slice(start, start + sliceSize)
      live.publish(slice, slice.at(-1)!.id)
      if (slice.some(({ trace }) => trace !== undefined)) {
        yield* Effect.forEach(slice, tracePublished, { discard: true })
      }
      yield* Effect.yieldNow
    }
    if (!more) live.publish([], lastId)
    if (!more) yield* Effect.timeoutOption(wakeUp.await, settings.pollMillis)
  })

  yield* readOn.pipe(
    Effect.catchTags({
      HistoryExpired: (error) => Effect.sync(() => live.fail(error, error.droppedId)),
      CursorAhead: (error) =>
        Effect.andThen(
          Effect.logError(
            `The log of business ${business} ends at id ${error.newestId}, before ${live.at}, up to which it was read: ` +
              "messages were lost as its database was restored or a standby promoted; see dockline message advance"
          ),
          Effect.sync(() => live.fail(error, error.newestId))
        ),
      // Nothing is lost while the log is unavailable: the next read begins after the same id.
      StorageUnavailable: () => Effect.sleep(settings.pollMillis)
    }),
    Effect.catchCause((cause) =>
      Cause.hasInterrupts(cause)
        ? Effect.failCause(cause)
        : Effect.andThen(
          Effect.logError(`Reading the messages of ${business} failed; trying again`, cause),
          Effect.sleep(settings.pollMillis)
        )
    ),
    Effect.forever,
    (reading) => Effect.andThen(opening.await, reading),
    Effect.forkScoped
  )
  return { live, opened: opening }
})

/** The part of a message log that a feed provides: `follow` and `tail`. */
export interface MessageFeed extends Pick<MessageLog["Service"], "follow" | "tail"> {}

/**
 * Makes the feed of a log, which lives as long as the scope. It provides `follow` and `tail` for a storage that can read its log. The log
 * of a business is read while the business has consumers, and for a while after.
 */
export const make = Effect.fnUntraced(function*(
  source: FeedSource,
  settings: MessageLogSettings
): Effect.fn.Return<MessageFeed, never, Scope.Scope> {
  const own = yield* Effect.context<never>()
  const lives = yield* RcMap.make({
    // A business is read for all its consumers, so the read must not belong to the trace or the transaction of the first.
    lookup: (business: string) =>
      Effect.updateContext(
        readLive(source, business, settings),
        (context: Context.Context<Scope.Scope>) =>
          Context.add(own, Scope.Scope, Context.get(context, Scope.Scope))
      ),
    idleTimeToLive: idleMillis
  })

  const liveOf = Effect.fnUntraced(function*(business: string) {
    const { live, opened } = yield* RcMap.get(lives, business)
    if (!live.isOpen) {
      live.open(yield* source.lastId(business))
      opened.openUnsafe()
    }
    return live
  })

  const follow = (query: MessageQuery, options: FollowOptions) =>
    Effect.flatMap(liveOf(query.business), (live) =>
      Effect.acquireRelease(
        Effect.sync(() => new Follower(source.read, live, query, options)),
        (follower) => Effect.sync(() => follower.close())
      ))

  return {
    follow,
    tail: (query, options) =>
      Stream.unwrap(
        Effect.map(follow(query, options), (follower) => Stream.fromIterableEffectRepeat(follower.next))
      )
  }
})
