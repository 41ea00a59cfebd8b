/** The message log on PostgreSQL: one statement to append, one to read a page. */
import { BusinessNotFound, CursorAhead, FacilityNotFound, HistoryExpired } from "@dockline/core/Errors"
import type { StorageUnavailable } from "@dockline/core/Errors"
import type { Message, MessageDraft } from "@dockline/core/Message"
import * as MessageFeed from "@dockline/core/MessageFeed"
import { advanceLimit, MessageLog, MessageLogConfig, otherIdsAdvance } from "@dockline/core/MessageLog"
import type { MessagePage, MessageQuery, Position } from "@dockline/core/MessageQuery"
import { AdvanceTooFar } from "@dockline/core/OperatorErrors"
import * as Timestamp from "@dockline/core/Timestamp"
import * as TraceContext from "@dockline/core/TraceContext"
import type { WebhookType } from "@dockline/core/Vocabulary"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { afterCommit } from "../connections/AfterCommit.ts"
import { Announcer } from "../connections/Announcer.ts"
import { operations } from "../connections/Deadline.ts"
import { loans, repeatable } from "../connections/Loan.ts"
import type { StoreClaim } from "../connections/Loan.ts"
import { oneRow } from "../connections/OneRow.ts"
import { repeatConflicts } from "../connections/StorageErrors.ts"
import { measured } from "../connections/StorageMetrics.ts"
import { businessId } from "../rows/BusinessId.ts"
import { readsOf } from "../rows/ListArguments.ts"
import { toMessages } from "../rows/MessageRows.ts"
import type { MessageRow } from "../rows/MessageRows.ts"
import * as Cleanup from "./Cleanup.ts"

/** The claim of an append, on the node of its business if it has one. */
const writesOf = (drafts: ReadonlyArray<MessageDraft>): StoreClaim => {
  const [first, ...others] = new Set(drafts.map(({ business }) => business))
  return {
    lane: "requests",
    holder: [first, ...others].join(),
    business: first === undefined || others.length > 0 ? undefined : businessId(first)
  }
}

/** The head of what `message_read` returns, as JSON. */
type PageHead = { readonly expired: number } | { readonly lastId: number }

/** What `message_append_named` returns. */
type Appended =
  | { readonly unknown: readonly [business: string, facility: string | null] }
  | { readonly appended: ReadonlyArray<readonly [position: number, id: number, sentAt: string]> }

const maxPage = 100_000

/** The most messages that one statement drops. */
const dropBatch = 1000

/**
 * The log in the PostgreSQL database of the `SqlClient`, whose schema must be migrated; drops old messages by itself.
 */
export const layer: Layer.Layer<MessageLog, never, SqlClient.SqlClient | Announcer> = Layer.effect(
  MessageLog,
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const settings = yield* MessageLogConfig
    const { announce, wakeups } = yield* Announcer
    const operation = yield* operations
    const loan = yield* loans
    const onItsOwn = loan({ lane: "requests" })

    const append = Effect.fnUntraced(function*(drafts: ReadonlyArray<MessageDraft>) {
      const now = yield* Timestamp.now
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
      const row = yield* oneRow(sql<{ readonly result: Appended }>`select dockline.message_append_named(
        ${bodies}::text::json, ${now}::timestamptz) as result`)
      const { result } = row
      if ("unknown" in result) {
        const [business, facility] = result.unknown
        return yield* facility === null
          ? new BusinessNotFound({ business })
          : new FacilityNotFound({ business, facility })
      }
      for (const business of new Set(drafts.map((draft) => draft.business))) {
        yield* afterCommit(() => announce(business))
      }
      return result.appended.toSorted(([left], [right]) => left - right).map((
        [position, id, sentAt]
      ): Message => {
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

    const read = Effect.fnUntraced(function*<Type extends WebhookType>(
      query: MessageQuery<Type>,
      position: Position,
      limit: number,
      textLimit = Infinity
    ) {
      const { business, facility, types } = query
      const [first, ...rows] = yield* sql<
        MessageRow<Type> & { readonly head: string }
      >`select * from dockline.message_read(
        ${businessId(business)}::bigint, ${facility ?? null}::text, ${types}::text[],
        ${position.afterId}::bigint,
        ${position.since ?? null}::timestamptz, ${Math.min(limit, maxPage)}::int,
        ${Math.min(textLimit, settings.pageTextLimit)}::bigint)`
      const page: PageHead = JSON.parse(first!.head)
      if ("expired" in page) return yield* new HistoryExpired({ business, droppedId: page.expired })
      // lastId and the messages are of one snapshot, so the id of a committed append is not ahead of it.
      if (position.afterId > page.lastId) return yield* new CursorAhead({ business, newestId: page.lastId })
      const messages = toMessages(business, rows)
      return { messages, more: messages.length < rows.length, lastId: page.lastId } satisfies MessagePage<
        Type
      >
    })

    const lastId = (business: string) =>
      Effect.map(
        oneRow(sql<{ readonly last: number }>`select dockline.message_last(
          ${businessId(business)}::bigint)::float8 as last`),
        ({ last }) => last
      )

    const cutoff = Effect.map(
      Timestamp.now,
      (now) => Timestamp.fromMillis(Date.parse(now) - settings.retentionMillis)
    )

    // The mark moves first: readers from before it get HistoryExpired. If it cannot move, messages up to it are dropped.
    const drop = Effect.fnUntraced(function*(businessId: string, after: number) {
      const mark = after > 0
        ? { moved: true }
        : yield* oneRow(sql<{ readonly moved: boolean }>`select dockline.message_expire(
          ${businessId}::bigint, ${yield* cutoff}::timestamptz) as moved`)
      const row = yield* oneRow(
        sql<{ readonly dropped: readonly [count: number, last: number | null] }>`select
        dockline.message_drop(${businessId}::bigint, ${after}::bigint, ${dropBatch}::int) as dropped`
      )
      const [dropped, next] = row.dropped
      return next === null && !mark.moved ? "held" as const : { dropped, next }
    })

    const expired: Cleanup.Expired<string, StorageUnavailable> = {
      look: operation(onItsOwn(Effect.flatMap(cutoff, (cutoff) =>
        Effect.map(
          sql<{ readonly id: string }>`select expired::text as id
            from dockline.message_expired(${cutoff}::timestamptz) as expired`,
          (rows) => rows.map(({ id }) => id)
        )))),
      drop: (business, after) =>
        operation(loan({ lane: "requests", business })(repeatConflicts(drop(business, after))))
    }
    yield* Cleanup.run("messages", expired)

    const advance = Effect.fnUntraced(function*(beyond: number) {
      const row = yield* oneRow(sql<
        { readonly result: { readonly newestId: number } | { readonly tooFar: number } }
      >`select dockline.message_advance(
        ${beyond}::bigint, ${advanceLimit}::bigint, ${otherIdsAdvance}::bigint) as result`)
      const { result } = row
      return "tooFar" in result
        ? yield* new AdvanceTooFar({ newestId: result.tooFar, limit: advanceLimit })
        : result.newestId
    })

    const readPage = <Type extends WebhookType>(
      query: MessageQuery<Type>,
      position: Position,
      limit: number,
      textLimit?: number
    ) =>
      measured("read_messages")(
        operation(
          loan({ ...readsOf([query.business]), business: businessId(query.business) })(
            read(query, position, limit, textLimit)
          )
        )
      )
    const newestId = (business: string) =>
      operation(loan({ ...readsOf([business]), business: businessId(business) })(lastId(business)))
    const feed = yield* MessageFeed.make(
      { read: readPage, lastId: newestId, wakeups },
      settings
    )

    return MessageLog.of({
      append: (drafts) =>
        // One statement, so by itself it needs no transaction. Those that wait for the log inside PostgreSQL commit without
        // this process, while it tells followers of earlier ones: the next read finds all of them.
        append(drafts).pipe(
          repeatable(sql),
          loan(writesOf(drafts)),
          operation,
          measured("append")
        ),
      read: readPage,
      lastId: newestId,
      ...feed,
      dropExpired: Effect.map(Cleanup.round(expired), ({ dropped }) => dropped),
      advance: (beyond) => operation(onItsOwn(repeatable(sql)(advance(beyond))))
    })
  })
)
