/**
 * Following the message log: one reader for each business that is followed in this process, whatever the number of
 * consumers, and a cursor for each consumer that joins history and live.
 *
 * Guarantee: a consumer gets every matching message after its starting point exactly once and in order. Wake-ups may
 * be lost, repeated or late: they decide when the log is read, never what is read from it. Nothing here waits for a
 * consumer, and what waits for one is bounded: one that falls behind by more than its buffer is told so and dropped.
 */
import { Cause, Context, Effect, Latch, RcMap, Scope, Stream } from "effect"
import type { StorageUnavailable } from "../values/Errors.ts"
import * as TraceContext from "../values/TraceContext.ts"
import { messageTypes } from "../values/Vocabulary.ts"
import type { FeedSource } from "./FeedSource.ts"
import { Follower, pageSize } from "./Follower.ts"
import type { FollowError, FollowOptions } from "./Follower.ts"
import { LiveMessages } from "./LiveMessages.ts"
import type { Message } from "./Message.ts"
import type { MessageLogSettings } from "./MessageLog.ts"
import type { MessageQuery } from "./MessageQuery.ts"

/** How many messages are passed on before consumers get a turn, so that a burst does not fill the buffer of a quick one. */
const sliceSize = 50

/** How long a business is read on after its last consumer has gone, for those that come back: 30 seconds. */
const idleMillis = 30_000

/** A span of the message's trace, if it has one: when it was passed on to whoever follows it in this process. */
const published = (message: Message): Effect.Effect<void> => {
  const parent = TraceContext.toSpan(message.trace)
  if (parent === undefined) return Effect.void
  const { business, id, type } = message
  return Effect.useSpan(
    `publish ${type}`,
    { parent, kind: "consumer", attributes: { "dockline.business": business, "dockline.message.id": id } },
    () => Effect.void
  )
}

/** The newest messages of a business, which are read as they come once they are open, as long as the scope is. */
const readLive = Effect.fnUntraced(function*(
  source: FeedSource,
  business: string,
  settings: MessageLogSettings
) {
  const woken = Latch.makeUnsafe(false)
  yield* Effect.acquireRelease(
    Effect.sync(() => source.wakeups.add(business, () => woken.openUnsafe())),
    (leave) => Effect.sync(leave)
  )
  const opened = Latch.makeUnsafe(false)
  const live = new LiveMessages(settings.recentLimit)
  const query: MessageQuery = { business, facility: undefined, types: messageTypes }

  const readOn = Effect.gen(function*() {
    // Closed before the read: what is appended while it runs opens the latch again.
    woken.closeUnsafe()
    const { messages, more, lastId } = yield* Effect.withTracerEnabled(
      source.read(query, { afterId: live.at }, pageSize),
      false
    )
    for (let start = 0; start < messages.length; start += sliceSize) {
      const slice = messages.slice(start, start + sliceSize)
      live.publish(slice, slice.at(-1)!.id)
      if (slice.some(({ trace }) => trace !== undefined)) {
        yield* Effect.forEach(slice, published, { discard: true })
      }
      yield* Effect.yieldNow
    }
    if (!more) live.publish([], lastId)
    if (!more) yield* Effect.timeoutOption(woken.await, settings.pollMillis)
  })

  yield* readOn.pipe(
    Effect.catchTags({
      HistoryExpired: (error) => Effect.sync(() => live.fail(error, error.droppedId)),
      CursorAhead: (error) =>
        Effect.andThen(
          Effect.logError(
            `The log of business ${business} ends at id ${error.newestId}, before ${live.at}, up to which it was read: ` +
              "messages were lost as its database was restored or a standby promoted; see dockline messages advance"
          ),
          Effect.sync(() => live.fail(error, error.newestId))
        ),
      // The log comes back, and nothing is lost meanwhile: the next read begins where this one ended.
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
    (reading) => Effect.andThen(opened.await, reading),
    Effect.forkScoped
  )
  return { live, opened }
})

/** Following a log. */
export interface MessageFeed {
  /** Begins to follow, until the scope closes. */
  readonly follow: (
    query: MessageQuery,
    options: FollowOptions
  ) => Effect.Effect<Follower, StorageUnavailable, Scope.Scope>
  /** {@link MessageFeed.follow} as a stream of messages: it ends as its consumer does. */
  readonly tail: (query: MessageQuery, options: FollowOptions) => Stream.Stream<Message, FollowError>
}

/** Makes the feed of a log: each business is read while somebody follows it, and a while longer. */
export const make = Effect.fnUntraced(function*(
  source: FeedSource,
  settings: MessageLogSettings
): Effect.fn.Return<MessageFeed, never, Scope.Scope> {
  const own = yield* Effect.context<never>()
  const lives = yield* RcMap.make({
    // A business is read on behalf of all its consumers: not in the trace or the transaction of the first of them.
    lookup: (business: string) =>
      Effect.updateContext(
        readLive(source, business, settings),
        (given: Context.Context<Scope.Scope>) =>
          Context.add(own, Scope.Scope, Context.get(given, Scope.Scope))
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
