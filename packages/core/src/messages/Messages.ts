/**
 * Reading messages on behalf of a client: history, and the right to follow the log (D8.1, D8.3); and, for operators,
 * moving the ids of the logs on after a restore (D7.5).
 *
 * Guarantee: a client gets messages of a facility where it may read them, or of a whole business where it may read
 * all of them, and no others. An answer is never cut in silence.
 */
import { Context, Effect, Layer } from "effect"
import { allows, allowsEverywhere, everything } from "../access/Access.ts"
import type { Principal } from "../access/Access.ts"
import type { AdvanceInput } from "../operator/OperatorInput.ts"
import { notOperator, operates } from "../operator/Operators.ts"
import type { AdvanceView } from "../operator/OperatorView.ts"
import { Directory } from "../places/Directory.ts"
import {
  BusinessNotFound,
  FacilityNotFound,
  Forbidden,
  InvalidRequest,
  TooManyMessages
} from "../values/Errors.ts"
import type { CursorAhead, HistoryExpired, StorageUnavailable } from "../values/Errors.ts"
import type { AdvanceTooFar } from "../values/OperatorErrors.ts"
import type { Timestamp } from "../values/Timestamp.ts"
import type { Message } from "./Message.ts"
import { MessageLog } from "./MessageLog.ts"
import type { MessageQuery } from "./MessageQuery.ts"

/** What history is asked for. */
export interface HistoryRequest extends MessageQuery {
  /** Messages sent then or later. */
  readonly since: Timestamp
  /** Messages with higher ids only; `undefined` and 0 for all. */
  readonly afterId: number | undefined
  /** The most messages wanted: 1 to the maximum; `undefined` for all, which must be no more than the maximum. */
  readonly limit: number | undefined
}

/** Limits of reading messages. */
export interface MessagesConfig {
  /** The most messages of one answer. */
  readonly maxMessages: number
}

/** Up to 10,000 messages an answer (D8.1). */
export const defaultMessagesConfig: MessagesConfig = { maxMessages: 10_000 }

/** Whether the principal may read the messages of a query now. */
export const mayRead = (principal: Principal, { business, facility }: MessageQuery): boolean =>
  facility === undefined
    ? allowsEverywhere(principal, "messages:read", business)
    : allows(principal, "messages:read", business, facility)

/** Reading messages. */
export class Messages extends Context.Service<Messages, {
  /** Messages since a time, ascending by id. */
  readonly history: (
    request: HistoryRequest,
    principal: Principal
  ) => Effect.Effect<
    ReadonlyArray<Message>,
    | BusinessNotFound
    | FacilityNotFound
    | Forbidden
    | InvalidRequest
    | HistoryExpired
    | CursorAhead
    | TooManyMessages
    | StorageUnavailable
  >
  /** Succeeds when the client may read what the query names, which then exists. */
  readonly authorize: (
    query: MessageQuery,
    principal: Principal
  ) => Effect.Effect<void, BusinessNotFound | FacilityNotFound | Forbidden | StorageUnavailable>
  /** Moves the ids of all logs on, after a restore or a promotion (D7.5); for operators of the whole service. */
  readonly advance: (
    input: AdvanceInput,
    principal: Principal
  ) => Effect.Effect<AdvanceView, Forbidden | AdvanceTooFar | StorageUnavailable>
}>()("@dockline/core/Messages") {
  /** Reading messages of the log, with the limits given. */
  static readonly layer = (
    config: MessagesConfig = defaultMessagesConfig
  ): Layer.Layer<Messages, never, MessageLog | Directory> =>
    Layer.effect(
      Messages,
      Effect.gen(function*() {
        const log = yield* MessageLog
        const directory = yield* Directory

        const authorize = Effect.fn("Messages.authorize")(function*(
          query: MessageQuery,
          principal: Principal
        ) {
          const { business, facility } = query
          const named = yield* directory.lookup(business, facility ?? "")
          if (named.business === null) return yield* new BusinessNotFound({ business })
          if (facility !== undefined && named.facility === null) {
            return yield* new FacilityNotFound({ business, facility })
          }
          if (!mayRead(principal, query)) {
            return yield* new Forbidden({ permission: "messages:read", business, facility: facility ?? "*" })
          }
        })

        const history = Effect.fn("Messages.history")(function*(
          request: HistoryRequest,
          principal: Principal
        ) {
          const { since, afterId = 0, limit } = request
          if (
            limit !== undefined && !(Number.isInteger(limit) && limit >= 1 && limit <= config.maxMessages)
          ) {
            return yield* new InvalidRequest({
              errors: [{ path: "input.limit", detail: `must be 1 to ${config.maxMessages}` }]
            })
          }
          yield* authorize(request, principal)
          const page = yield* log.read(request, { afterId, since }, limit ?? config.maxMessages)
          // A page that was asked for by number may be full; one that is cut otherwise is not what was asked for.
          if (page.more && page.messages.length !== limit) {
            const isFull = page.messages.length >= config.maxMessages
            return yield* new TooManyMessages(isFull ? { limit: config.maxMessages } : {})
          }
          return page.messages
        })

        const advance = Effect.fn("Messages.advance")(function*(
          { beyond }: AdvanceInput,
          principal: Principal
        ) {
          if (!operates(principal, everything)) return yield* notOperator(everything)
          const newestId = yield* log.advance(beyond)
          yield* Effect.logInfo(`The ids of messages were moved on: the newest is ${newestId}`)
          return { newestId }
        })

        return Messages.of({ history, authorize, advance })
      })
    )
}
