/**
 * Port: the message log, append-only per business, the one source of GraphQL history, subscriptions and webhooks.
 * Each consumer is a cursor over it (D7).
 *
 * Guarantee: ids grow in commit order within a business, so that a reader that has seen id N never later finds a new
 * id below N, however many writers commit at once; `sentAt` never decreases as ids grow. An append waits for no
 * consumer. What has been dropped by age is an error for whoever asks for it, never a silent gap; so is a position beyond
 * the newest id that the log has given.
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
import type { Message, MessageDraft } from "./Message.ts"
import type { MessagePage, MessageQuery, Position } from "./MessageQuery.ts"

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

/** By how much ids are moved on at most. */
export const advanceLimit = 1_000_000_000_000

/** By how much the ids of other entities than messages are moved on. */
export const otherIdsAdvance = 1_000_000

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
  ) => Effect.Effect<MessagePage, HistoryExpired | CursorAhead | StorageUnavailable>
  /** The newest id that the log of a business has given, also when its message was dropped by age; 0 without one. */
  readonly lastId: (business: string) => Effect.Effect<number, StorageUnavailable>
  /** A consumer's cursor: history from where it starts, then live, with no gap, repeat or reordering. */
  readonly follow: (
    query: MessageQuery,
    options: FollowOptions
  ) => Effect.Effect<Follower, StorageUnavailable, Scope.Scope>
  /** `follow` as a stream that does not end by itself. */
  readonly tail: (
    query: MessageQuery,
    options: FollowOptions
  ) => Stream.Stream<Message, FollowError>
  /**
   * Drops messages older than the retention, in batches, and says how many; a log that is held by others for long is left
   * for later. The storage does so by itself, every hour at least while messages are appended, and again within seconds
   * where something was left: appends delay it, and do not end it.
   */
  readonly dropExpired: Effect.Effect<number, StorageUnavailable>
  /**
   * Moves the ids that are given next beyond an id, and the newest id of each log to it, where they are below it (D7.5);
   * returns the newest id. For a storage that was restored from a backup, or a standby that was promoted: consumers may
   * hold cursors up to that id, and get all that is appended from then on. Where the ids of messages move, those of all
   * other entities go on by {@link otherIdsAdvance}, so that they are not given again either. All leases of webhook endpoints end, so
   * that deliveries go on from what is stored. Refused beyond
   * {@link advanceLimit} from the newest id.
   */
  readonly advance: (beyond: number) => Effect.Effect<number, AdvanceTooFar | StorageUnavailable>
}>()("@dockline/core/MessageLog") {}
