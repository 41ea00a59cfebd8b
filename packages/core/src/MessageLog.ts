/**
 * Port: the message log, append-only per business, the one source of GraphQL history, subscriptions and webhooks.
 * Each consumer is a cursor over it (D7).
 *
 * Guarantee: ids grow in commit order within a business, so that a reader that has seen id N never later finds a new
 * id below N, however many writers commit at once; `sentAt` never decreases as ids grow. An append waits for no
 * consumer. What has been dropped by age is an error for whoever asks for it, never a silent gap.
 */
import { Context, Effect, Layer } from "effect"
import type { Scope, Stream } from "effect"
import type {
  BusinessNotFound,
  ConsumerTooSlow,
  FacilityNotFound,
  HistoryExpired,
  StorageUnavailable
} from "./Errors.ts"
import type { Follower, FollowOptions } from "./Follower.ts"
import { MemoryDatabase } from "./MemoryDatabase.ts"
import type { Message, MessageDraft } from "./Message.ts"
import * as MessageFeed from "./MessageFeed.ts"
import * as Timestamp from "./Timestamp.ts"
import * as TraceContext from "./TraceContext.ts"
import type { MessageType } from "./Vocabulary.ts"

/** Which messages of a business. */
export interface MessageQuery {
  /** Business slug. */
  readonly business: string
  /** Facility slug; `undefined` for all facilities. */
  readonly facility: string | undefined
  readonly types: ReadonlyArray<MessageType>
}

/** From where on the log is read: after an id, and not before a time. */
export interface Position {
  /** Messages with ids above; 0 for the beginning. */
  readonly afterId: number
  /** Messages sent then or later. */
  readonly since?: Timestamp.Timestamp | undefined
}

/** A part of the log. */
export interface MessagePage {
  /** In id order. */
  readonly messages: ReadonlyArray<Message>
  /** Whether more messages match after the last one: the page was cut by its limit or by `pageTextLimit`. */
  readonly more: boolean
  /** The newest id of the business when the page was read. Unless there is more, everything up to it has been read. */
  readonly lastId: number
}

/** How the log is kept and followed. */
export interface MessageLogSettings {
  /** How long messages are kept, in milliseconds; 90 days (D7.4). */
  readonly retentionMillis: number
  /** How often followers look for messages that nobody told them of, in milliseconds; 500. */
  readonly pollMillis: number
  /** How many of the newest messages of a followed business are kept at hand, for consumers that come back soon; 500. */
  readonly recentLimit: number
  /** A page ends early rather than hold more characters of payload; it holds one message at least. 16 Mi. */
  readonly pageTextLimit: number
}

/** The settings in force; those named at {@link MessageLogSettings} unless provided. */
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

/** The message log. */
export class MessageLog extends Context.Service<MessageLog, {
  /**
   * Appends messages in order, in the transaction of the caller where there is one, and gives them ids and `sentAt`.
   * Consumers learn of them once that transaction has committed: at once where the storage knows of the commit, else
   * when they look, within `pollMillis`. Appending comes last in a transaction: other writers of the business wait from
   * there to its end. Messages carry the trace context of the caller, where it is traced.
   */
  readonly append: (
    drafts: ReadonlyArray<MessageDraft>
  ) => Effect.Effect<ReadonlyArray<Message>, BusinessNotFound | FacilityNotFound | StorageUnavailable>
  /** The matching messages from a position on, at most `limit`, in id order. */
  readonly read: (
    query: MessageQuery,
    position: Position,
    limit: number
  ) => Effect.Effect<MessagePage, HistoryExpired | StorageUnavailable>
  /** A consumer's cursor: history from where it starts, then live, with no gap, repeat or reordering. */
  readonly follow: (
    query: MessageQuery,
    options: FollowOptions
  ) => Effect.Effect<Follower, StorageUnavailable, Scope.Scope>
  /** `follow` as a stream that does not end by itself. */
  readonly tail: (
    query: MessageQuery,
    options: FollowOptions
  ) => Stream.Stream<Message, HistoryExpired | ConsumerTooSlow | StorageUnavailable>
  /** Drops messages older than the retention, in batches, and says how many. The storage's layer does so by itself. */
  readonly dropExpired: Effect.Effect<number, StorageUnavailable>
}>()("@dockline/core/MessageLog") {
  /** A log in memory. Messages are dropped when `dropExpired` runs. */
  static readonly layerMemory: Layer.Layer<MessageLog, never, MemoryDatabase> = Layer.effect(
    MessageLog,
    Effect.gen(function*() {
      const { messages } = yield* MemoryDatabase
      const settings = yield* MessageLogConfig
      const read = (query: MessageQuery, position: Position, limit: number, textLimit = Infinity) =>
        Effect.suspend(() =>
          Effect.fromResult(
            messages.read(query, position, limit, Math.min(textLimit, settings.pageTextLimit))
          )
        )
      const feed = yield* MessageFeed.make(
        {
          read,
          lastId: (business) => Effect.sync(() => messages.lastId(business)),
          wakeups: messages.wakeups
        },
        settings
      )
      return MessageLog.of({
        append: (drafts) =>
          Effect.flatMap(
            Effect.zip(Timestamp.now, TraceContext.current),
            ([now, trace]) => Effect.fromResult(messages.append(drafts, now, trace))
          ),
        read,
        ...feed,
        dropExpired: Effect.map(
          Timestamp.now,
          (now) => messages.dropBefore(Timestamp.fromMillis(Date.parse(now) - settings.retentionMillis))
        )
      })
    })
  )
}
