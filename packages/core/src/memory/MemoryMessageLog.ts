/**
 * The message log in memory.
 */
import { Effect, Layer } from "effect"
import * as MessageFeed from "../messages/MessageFeed.ts"
import { advanceLimit, MessageLog, MessageLogConfig, otherIdsAdvance } from "../messages/MessageLog.ts"
import type { MessageQuery, Position } from "../messages/MessageQuery.ts"
import { AdvanceTooFar } from "../values/OperatorErrors.ts"
import * as Timestamp from "../values/Timestamp.ts"
import * as TraceContext from "../values/TraceContext.ts"
import { MemoryDatabase } from "./MemoryDatabase.ts"

/** A log in memory. What has expired, the record of its deliveries too, is dropped as messages are appended. */
export const layer: Layer.Layer<MessageLog, never, MemoryDatabase> = Layer.effect(
  MessageLog,
  Effect.gen(function*() {
    const database = yield* MemoryDatabase
    const { messages } = database
    const settings = yield* MessageLogConfig
    const read = (query: MessageQuery, position: Position, limit: number, textLimit = Infinity) =>
      Effect.suspend(() =>
        Effect.fromResult(
          messages.read(query, position, limit, Math.min(textLimit, settings.pageTextLimit))
        )
      )
    const lastId = (business: string) => Effect.sync(() => messages.lastId(business))
    const feed = yield* MessageFeed.make({ read, lastId, wakeups: messages.wakeups }, settings)
    return MessageLog.of({
      append: (drafts) =>
        Effect.flatMap(
          Effect.zip(Timestamp.now, TraceContext.current),
          ([now, trace]) =>
            Effect.fromResult(
              messages.append(drafts, { now, trace, retentionMillis: settings.retentionMillis })
            )
        ),
      read,
      lastId,
      ...feed,
      dropExpired: Effect.map(
        Timestamp.now,
        (now) => messages.dropBefore(Timestamp.fromMillis(Date.parse(now) - settings.retentionMillis))
      ),
      advance: (beyond) =>
        Effect.suspend(() =>
          beyond - messages.newestId > advanceLimit
            ? Effect.fail(new AdvanceTooFar({ newestId: messages.newestId, limit: advanceLimit }))
            : Effect.succeed(database.advance(beyond, otherIdsAdvance))
        )
    })
  })
)
