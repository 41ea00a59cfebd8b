/** The message log on PostgreSQL: one statement to append, one to read a page. */
import type {
  Message,
  MessageDraft,
  MessagePage,
  MessageQuery,
  Position
} from "@dockline/core/messages/Message"
import * as MessageFeed from "@dockline/core/messages/MessageFeed"
import {
  advanceLimit,
  MessageLog,
  MessageLogConfig,
  otherIdsAdvance
} from "@dockline/core/messages/MessageLog"
import { BusinessNotFound, CursorAhead, FacilityNotFound, HistoryExpired } from "@dockline/core/values/Errors"
import type { StorageUnavailable } from "@dockline/core/values/Errors"
import { AdvanceTooFar } from "@dockline/core/values/OperatorErrors"
import * as Timestamp from "@dockline/core/values/Timestamp"
import * as TraceContext from "@dockline/core/values/TraceContext"
import { Effect, Layer, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { Announcer, announcing } from "../connections/Announcer.ts"
import { measured } from "../connections/StorageMetrics.ts"
import { operations } from "../connections/StoreOperations.ts"
import type { StoreClaim } from "../connections/StoreOperations.ts"
import { businessId, readsOf } from "../rows/BusinessRows.ts"
import { MessageReadRow, toMessages } from "../rows/MessageRows.ts"
import { batch, bigintText, timestamp, whole } from "../rows/RowFields.ts"
import * as Cleanup from "./Cleanup.ts"

/** The claim of an append, on the node of its business if it has one. */
const writesOf = (drafts: ReadonlyArray<MessageDraft>): Partial<StoreClaim> => {
  const [first, ...others] = new Set(drafts.map(({ business }) => business))
  return {
    holder: [first, ...others].join(),
    business: first === undefined || others.length > 0 ? undefined : businessId(first)
  }
}

/** The result of `message_advance`. */
const AdvanceResult = Schema.Union([Schema.Struct({ newestId: whole }), Schema.Struct({ tooFar: whole })])

/** The result of `message_append_named`: an unknown business and facility, or the position, id and time of each draft. */
const AppendResult = Schema.Union([
  Schema.Struct({ unknown: Schema.Tuple([Schema.String, Schema.NullOr(Schema.String)]) }),
  Schema.Struct({ appended: Schema.Array(Schema.Tuple([whole, whole, timestamp])) })
])

const maxPage = 100_000

/** The most messages that one statement drops. */
const dropBatch = 1000

/** The log in the PostgreSQL database of the `SqlClient`, whose schema must be migrated. It also drops old messages. */
export const layer: Layer.Layer<MessageLog, never, SqlClient.SqlClient | Announcer> = Layer.effect(
  MessageLog,
  Effect.gen(function*() {
    const means = yield* operations
    const { call, query, read, rows, write } = means
    const settings = yield* MessageLogConfig
    const { wakeups } = yield* Announcer
    const announce = yield* announcing

    const append = Effect.fnUntraced(function*(drafts: ReadonlyArray<MessageDraft>) {
      const now = yield* Timestamp.givenNow
      const trace = yield* TraceContext.current
      const texts = drafts.map(({ payload }) => JSON.stringify(payload))
      const bodies = JSON.stringify(
        drafts.map(({ business, facility, type, shipmentId }, index) => [
          business,
          facility,
          type,
          shipmentId,
          texts[index],
          trace
        ])
      )
      const result = yield* call(AppendResult)`dockline.message_append_named(${bodies}, ${now})`
      if ("unknown" in result) {
        const [business, facility] = result.unknown
        return yield* facility === null
          ? new BusinessNotFound({ business })
          : new FacilityNotFound({ business, facility })
      }
      yield* Effect.forEach(new Set(drafts.map(({ business }) => business)), announce)
      return result.appended.toSorted(([left], [right]) => left - right).map((
        [position, id, sentAt]
      ): Message => {
        // `position` is the position of a draft, from 1.
        const { payload: _, ...draft } = drafts[position - 1]!
        return {
          ...draft,
          id,
          sentAt,
          json: texts[position - 1]!,
          ...(trace === undefined ? {} : { trace })
        }
      })
    })

    const pageOf = Effect.fnUntraced(function*(
      query: MessageQuery,
      position: Position,
      limit: number,
      textLimit = Infinity
    ) {
      const { business, facility, types } = query
      const [head, ...rest] = yield* rows(MessageReadRow)`dockline.message_read(${businessId(business)},
        ${facility ?? null}, ${types}, ${position.afterId}, ${position.since ?? null},
        ${Math.min(limit, maxPage)}, ${Math.min(textLimit, settings.pageTextLimit)})`
      // The head is always the first row.
      const { dropped_id: droppedId, last_id: lastId } = head!
      if (droppedId !== null) return yield* new HistoryExpired({ business, droppedId })
      // `lastId` and the messages belong to one snapshot, so the id of a committed append is never greater than `lastId`.
      const newestId = lastId ?? 0
      if (position.afterId > newestId) return yield* new CursorAhead({ business, newestId })
      const messages = toMessages(business, rest.filter((row) => row.id !== null))
      return { messages, more: messages.length < rest.length, lastId: newestId } satisfies MessagePage
    })

    // The mark moves first, so that readers before the mark get HistoryExpired. If it cannot move, messages up to the old mark are dropped,
    // but no entries of outboxes: the record of deliveries is dropped up to the marks of the log and of the outboxes (`webhook_drop`), so
    // the log must not hold messages up to the mark of an outbox.
    const drop = Effect.fnUntraced(function*(business: string, after: number, since: string) {
      const isMoved = after > 0 ||
        (yield* call(Schema.Boolean)`dockline.message_expire(${business}, ${since})`)
      const entries = after > 0 || !isMoved ?
        0 :
        yield* call(Schema.NullOr(whole))`dockline.outbox_drop(${business},
        ${since}, ${dropBatch})`
      const { count, last: next } = yield* call(batch)`dockline.message_drop(${business}, ${after},
        ${dropBatch})`
      const isHeld = next === null && (!isMoved || entries === null)
      return isHeld ? "held" as const : { count: count + (entries ?? 0), next }
    })

    const expired: Cleanup.Expired<string, StorageUnavailable> = {
      since: Cleanup.cutoff(means, settings.retentionMillis),
      look: (since) =>
        write()(Effect.map(
          query(Schema.Struct({ id: bigintText }))`select expired::text as id
            from dockline.message_expired(${since}) as expired`,
          (rows) => rows.map(({ id }) => id)
        )),
      drop: (business, after, since) => write({ business })(drop(business, after, since))
    }
    yield* Cleanup.run("messages", expired)

    const advance = Effect.fnUntraced(function*(beyond: number) {
      const result = yield* call(AdvanceResult)`dockline.message_advance(${beyond}, ${advanceLimit},
        ${otherIdsAdvance})`
      return "tooFar" in result
        ? yield* new AdvanceTooFar({ newestId: result.tooFar, limit: advanceLimit })
        : result.newestId
    })

    const claimOf = (business: string) => ({ ...readsOf([business]), business: businessId(business) })

    const readPage = (
      query: MessageQuery,
      position: Position,
      limit: number,
      textLimit?: number
    ) => measured("read_messages")(read(claimOf(query.business))(pageOf(query, position, limit, textLimit)))

    const lastId = (business: string) =>
      read(claimOf(business))(call(whole)`dockline.message_last(${businessId(business)})::float8`)

    return MessageLog.of({
      // An append is one statement, so it needs no transaction. Appends that wait for the log inside PostgreSQL commit while this process
      // still notifies followers of earlier ones, and the next read finds all of them.
      append: (drafts) => measured("append")(write(writesOf(drafts))(append(drafts))),
      read: readPage,
      lastId,
      ...(yield* MessageFeed.make({ read: readPage, lastId, wakeups }, settings)),
      dropExpired: Effect.map(Cleanup.round(expired), ({ count }) => count),
      advance: (beyond) => write()(advance(beyond))
    })
  })
)
