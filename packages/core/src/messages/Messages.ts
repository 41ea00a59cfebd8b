/**
 * Reads messages for clients: history, and the permission to follow the log (D8.1, D8.3). For operators, it also advances
 * ids after a restore (D7.5).
 *
 * Guarantee: a client gets messages of a facility only if it may read them there, and of a whole business only if it may
 * read all of them. An answer is never cut silently.
 */
import { Context, Effect, Layer } from "effect"
import { everything, notOperator, operates } from "../access/Access.ts"
import type { AuthorizedCall, Principal } from "../access/Access.ts"
import { auditing } from "../access/AuditLog.ts"
import type { AuditLog } from "../access/AuditLog.ts"
import type * as Operation from "../access/Operation.ts"
import * as Authorize from "../places/Authorize.ts"
import { filledOrUndefined } from "../places/ListQuery.ts"
import { Directory } from "../places/Place.ts"
import { InvalidRequest, TooManyMessages } from "../values/Errors.ts"
import type { Forbidden, StorageUnavailable } from "../values/Errors.ts"
import type { MessageId } from "../values/Id.ts"
import type { AdvanceTooFar } from "../values/OperatorErrors.ts"
import { limitOf } from "../values/Page.ts"
import type { Page } from "../values/Page.ts"
import * as Timestamp from "../values/Timestamp.ts"
import { MessageTypes } from "../values/Vocabulary.ts"
import type { Message, MessageQuery } from "./Message.ts"
import { MessageLog } from "./MessageLog.ts"
import { messageView } from "./MessageView.ts"
import type { listMessages, MessageView } from "./MessageView.ts"

/** A request for history. */
export interface HistoryRequest extends MessageQuery {
  /** Only messages sent at this time or later. */
  readonly since: Timestamp.Timestamp
  /** Only messages with higher ids; `undefined` and 0 for all. */
  readonly afterId: MessageId | undefined
  /** The most messages: 1 to the maximum; `undefined` for all, which must not exceed the maximum. */
  readonly limit: number | undefined
}

/** The filters and the page of a list of messages. */
export type MessageListQuery = Operation.Query<typeof listMessages>

/** The errors of a request for a page of messages. */
export type MessageListError = Operation.Refusal<typeof listMessages>

/** The errors of a request for history. */
export type HistoryError = MessageListError | InvalidRequest | TooManyMessages

/** The most messages in one answer, unless configured (D8.1). */
export const defaultMessageLimit = 10_000

/** Whether the principal may now read the messages of a query. */
export const mayRead = (principal: Principal, query: MessageQuery): boolean =>
  Authorize.permits(principal, "messages:read", query)

/** Reads messages for clients. */
export class Messages extends Context.Service<Messages, {
  /** Messages since a time, ascending by id. */
  readonly history: AuthorizedCall<[request: HistoryRequest], ReadonlyArray<Message>, HistoryError>
  /** A page of messages, ascending by id; `next` is the `afterId` of the next page. */
  readonly list: AuthorizedCall<[query: MessageListQuery], Page<MessageView>, MessageListError>
  /** Succeeds when the place in the query exists and the client may read its messages. */
  readonly authorize: AuthorizedCall<[query: MessageQuery], void, Authorize.PlaceError>
  /** Advances the ids of all logs, after a restore or a promotion (D7.5); for operators of the whole service. */
  readonly advance: AuthorizedCall<
    [input: { readonly beyond: number }],
    { readonly newestId: MessageId },
    Forbidden | AdvanceTooFar | StorageUnavailable
  >
}>()("@dockline/core/messages/Messages") {
  /** Reads messages from the log, at most `messageLimit` in one answer. */
  static readonly layer = (
    { messageLimit }: { readonly messageLimit: number } = { messageLimit: defaultMessageLimit }
  ): Layer.Layer<Messages, never, MessageLog | Directory | AuditLog> =>
    Layer.effect(
      Messages,
      Effect.gen(function*() {
        const log = yield* MessageLog
        const directory = yield* Directory
        const audit = yield* auditing
        const types = yield* MessageTypes

        const authorize = Effect.fn("Messages.authorize")((query: MessageQuery, principal: Principal) =>
          Authorize.place(directory, principal, "messages:read", query)
        )

        const history = Effect.fn("Messages.history")(function*(
          request: HistoryRequest,
          principal: Principal
        ) {
          const { since, afterId = 0, limit } = request
          if (limit !== undefined && !(Number.isInteger(limit) && limit >= 1 && limit <= messageLimit)) {
            const detail = `must be 1 to ${messageLimit}`
            return yield* new InvalidRequest({ errors: [{ path: "input.limit", detail }] })
          }
          yield* authorize(request, principal)
          const page = yield* log.read(request, { afterId, since }, limit ?? messageLimit)
          // A page that holds `limit` messages is the requested page; any other page was cut.
          if (page.more && page.messages.length !== limit) {
            const isFull = page.messages.length >= messageLimit
            return yield* new TooManyMessages(isFull ? { limit: messageLimit } : {})
          }
          return page.messages
        })

        const list = Effect.fn("Messages.list")(function*(
          { afterId = 0, business, facility, limit, messageType, since = "" }: MessageListQuery,
          principal: Principal
        ) {
          const type = filledOrUndefined(messageType)
          const query = {
            business,
            facility: filledOrUndefined(facility),
            types: type === undefined ? types : [type]
          }
          yield* authorize(query, principal)
          const from = { afterId, since: Timestamp.parse(since) }
          const { messages, more } = yield* log.read(query, from, limitOf(limit))
          return { items: messages.map(messageView), next: more ? String(messages.at(-1)!.id) : null }
        })

        const advance = Effect.fn("Messages.advance")(function*(
          { beyond }: { readonly beyond: number },
          principal: Principal
        ) {
          if (!operates(principal, everything)) return yield* notOperator(everything)
          const newestId = yield* audit(principal, log.advance(beyond), (newestId) => ({
            action: "MESSAGES_ADVANCED",
            business: everything,
            subject: "messages",
            details: { beyond, newestId }
          }))
          yield* Effect.logInfo(`The ids of messages were advanced: the newest is ${newestId}`)
          return { newestId }
        })

        return Messages.of({ history, list, authorize, advance })
      })
    )
}
