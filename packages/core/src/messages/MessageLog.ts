/**
 * Port: the message log, append-only for each business. It is the only source of GraphQL history, subscriptions and
 * webhooks; each consumer is a cursor over it (D7).
 *
 * Guarantee: ids grow in commit order within a business, so a reader that has seen id N never later finds a new id below
 * N, however many writers commit at once; `sentAt` never decreases as ids grow. An append waits for no consumer. Reading
 * messages that were dropped by age is an error, never a silent gap. Reading from beyond the newest id of the log is an
 * error, too.
 *
 * {@link makeFeed} follows a log, for storages: with one reader for each followed business in this process and a `Follower` for each
 * consumer. Wake-ups may be lost, repeated or late: they decide when the log is read, never what is read. The reader waits for no consumer.
 */
import { Cause, Context, Effect, Latch, RcMap, Scope, Stream } from "effect"
import type {
  BusinessNotFound,
  CursorAhead,
  FacilityNotFound,
  HistoryExpired,
  StorageUnavailable
} from "../values/Errors.ts"
import { AdvanceTooFar } from "../values/OperatorErrors.ts"
import * as TraceContext from "../values/TraceContext.ts"
import { MessageTypes } from "../values/Vocabulary.ts"
import type { FeedSource, FollowError, FollowOptions } from "./Follower.ts"
import { Follower, LiveMessages, pageSize } from "./Follower.ts"
import type { Message, MessageDraft, MessagePage, MessageQuery, Position } from "./Message.ts"

/** Settings for keeping and following the log. */
export interface MessageLogSettings {
  /** How long messages are kept, in milliseconds; 90 days (D7.4). */
  readonly retentionMillis: number
  /** How often followers look for messages without a wake-up, in milliseconds; 500. */
  readonly pollMillis: number
  /** How many of the newest messages of a followed business are kept in memory, for consumers that return soon; 500. */
  readonly recentLimit: number
  /** The most characters of payload in a page, unless its first message has more; 16 Mi. */
  readonly pageTextLimit: number
}

/** The settings in force; {@link MessageLogSettings} names the defaults. */
export const MessageLogConfig: Context.Reference<MessageLogSettings> = Context.Reference(
  "@dockline/core/MessageLogConfig",
  {
    defaultValue: () => ({
      retentionMillis: 90 * 86_400_000,
      pollMillis: 500,
      recentLimit: 500,
      pageTextLimit: 16 * 1024 * 1024
    })
  }
)

/** The most by which ids are advanced. */
export const advanceLimit = 1_000_000_000_000

/** The number by which the ids of entities other than messages are advanced. */
export const otherIdsAdvance = 1_000_000

/** The message log. */
export class MessageLog extends Context.Service<MessageLog, {
  /**
   * Appends messages in order, in the transaction of the caller if there is one, and gives them ids and `sentAt`.
   * Consumers learn of them after the commit: at once if the storage notices the commit, otherwise within `pollMillis`.
   * Append last in a transaction: from then to its end, other writers of the business wait. Messages carry the trace
   * context of the caller, if it is traced.
   */
  readonly append: (
    drafts: ReadonlyArray<MessageDraft>
  ) => Effect.Effect<ReadonlyArray<Message>, BusinessNotFound | FacilityNotFound | StorageUnavailable>
  /** The matching messages from a position on, at most `limit`, in id order. */
  readonly read: (
    query: MessageQuery,
    position: Position,
    limit: number
  ) => Effect.Effect<MessagePage, HistoryExpired | CursorAhead | StorageUnavailable>
  /** The newest id in the log of a business, even if its message was dropped by age; 0 without messages. */
  readonly lastId: (business: string) => Effect.Effect<number, StorageUnavailable>
  /** Follows the log: history from the starting point, then live messages, without gap, repetition or reordering. */
  readonly follow: (
    query: MessageQuery,
    options: FollowOptions
  ) => Effect.Effect<Follower, StorageUnavailable, Scope.Scope>
  /** Like `follow`, as a stream that does not end by itself. */
  readonly tail: (
    query: MessageQuery,
    options: FollowOptions
  ) => Stream.Stream<Message, FollowError>
  /**
   * Drops messages, and entries of outboxes, older than the retention, in batches, and returns their number. Logs that stay locked are left
   * for later. The storage calls this by itself: at least every hour while messages are appended, and again within seconds when messages
   * remained. Appends delay it but do not end it.
   */
  readonly dropExpired: Effect.Effect<number, StorageUnavailable>
  /**
   * Advances the next ids, and the newest id of each log, beyond an id if they are below it (D7.5); returns the newest id. Use it after a
   * restore from a backup or the promotion of a standby: consumers may hold cursors up to that id, and still get all messages that are
   * appended afterwards. When message ids advance, the ids of all other entities advance by {@link otherIdsAdvance}, so that they are not
   * reused. All leases of webhook endpoints end, so that deliveries continue from the stored state. Refused when `beyond` exceeds the
   * newest id by more than `advanceLimit`.
   */
  readonly advance: (beyond: number) => Effect.Effect<number, AdvanceTooFar | StorageUnavailable>
}>()("@dockline/core/messages/MessageLog") {}

/** The reader lets consumers run after this number of messages, so that a burst does not fill the buffer of a fast consumer. */
const sliceSize = 50

/** How long a business is still read after its last consumer has left, for consumers that return: 30 seconds. */
const idleMillis = 30_000

/** Makes a span in the message's trace, if it has one, when the message is passed on in this process. */
const countPublished = (message: Message): Effect.Effect<void> => {
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
        yield* Effect.forEach(slice, countPublished, { discard: true })
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
export const makeFeed = Effect.fnUntraced(function*(
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
