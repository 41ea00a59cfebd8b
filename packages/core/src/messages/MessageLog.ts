/**
 * Port: the message log, append-only for each business. It is the only source of GraphQL history, subscriptions and
 * webhooks; each consumer is a cursor over it (D7).
 *
 * Guarantee: ids grow in commit order within a business, so a reader that has seen id N never later finds a new id below
 * N, however many writers commit at once; `sentAt` never decreases as ids grow. An append waits for no consumer. Reading
 * messages that were dropped by age is an error, never a silent gap. Reading from beyond the newest id of the log is an
 * error, too.
 */
import { Context, Effect } from "effect"
import type { Scope, Stream } from "effect"
import type {
  BusinessNotFound,
  CursorAhead,
  FacilityNotFound,
  HistoryExpired,
  StorageUnavailable
} from "../values/Errors.ts"
import { AdvanceTooFar } from "../values/OperatorErrors.ts"
import type { Follower, FollowError, FollowOptions } from "./Follower.ts"
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
