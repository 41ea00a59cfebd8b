/**
 * The message log on PostgreSQL: one statement to append, one to read a page.
 */
import { BusinessNotFound, FacilityNotFound, HistoryExpired } from "@dockline/core/Errors"
import type { Message, MessageDraft } from "@dockline/core/Message"
import * as MessageFeed from "@dockline/core/MessageFeed"
import { MessageLog, MessageLogConfig } from "@dockline/core/MessageLog"
import type { MessagePage, MessageQuery, Position } from "@dockline/core/MessageLog"
import * as Timestamp from "@dockline/core/Timestamp"
import * as TraceContext from "@dockline/core/TraceContext"
import { Effect, Layer, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { afterCommit, transaction } from "./AfterCommit.ts"
import { Announcer } from "./Announcer.ts"
import { TransactionLimit } from "./Database.ts"
import { operations } from "./Deadline.ts"
import { toMessage } from "./MessageRows.ts"
import type { MessageBody } from "./MessageRows.ts"
import { repeatConflicts } from "./StorageErrors.ts"
import { measured } from "./StorageMetrics.ts"
import { makeInTurn } from "./Transactions.ts"

/** What `message_read` returns, as JSON. */
type LoadedPage =
  | { readonly expired: number }
  | { readonly lastId: number; readonly more: boolean; readonly messages: ReadonlyArray<MessageBody> }

/** What `message_append_named` returns. */
type Appended =
  | { readonly unknown: readonly [business: string, facility: string | null] }
  | { readonly appended: ReadonlyArray<readonly [position: number, id: number, sentAt: string]> }

/** The most messages of one page, whatever is asked for. */
const maxPage = 100_000

/** How many old messages one statement drops, so that none takes long. */
const dropBatch = 1000

/**
 * The log in the PostgreSQL database of the `SqlClient`, whose schema must be migrated; drops old messages hourly.
 */
export const layer: Layer.Layer<MessageLog, never, SqlClient.SqlClient | Announcer> = Layer.effect(
  MessageLog,
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const settings = yield* MessageLogConfig
    const { announce, wakeups } = yield* Announcer
    const operation = yield* operations
    const inTurn = makeInTurn(sql, yield* TransactionLimit)

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
      const [row] = yield* sql<{ readonly result: Appended }>`select dockline.message_append_named(
        ${bodies}::text::json, ${now}::timestamptz) as result`
      const { result } = row!
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
      ): Message => ({
        ...drafts[position - 1]!,
        id,
        sentAt,
        size: texts[position - 1]!.length,
        ...(trace === undefined ? {} : { trace })
      }))
    })

    const read = Effect.fnUntraced(function*(
      query: MessageQuery,
      position: Position,
      limit: number,
      textLimit = Infinity
    ) {
      const { business, facility, types } = query
      const [row] = yield* sql<{ readonly page: string }>`select dockline.message_read(
        ${business}, ${facility ?? null}::text, ${types}::text[], ${position.afterId}::bigint,
        ${position.since ?? null}::timestamptz, ${Math.min(limit, maxPage)}::int, ${
        Math.min(textLimit, settings.pageTextLimit)
      }::bigint) as page`
      const page = JSON.parse(row!.page) as LoadedPage
      if ("expired" in page) return yield* new HistoryExpired({ business, droppedId: page.expired })
      return {
        messages: page.messages.map((body) => toMessage(business, body)),
        more: page.more,
        lastId: page.lastId
      } satisfies MessagePage
    })

    const lastId = (business: string) =>
      Effect.map(
        sql<{ readonly last: number }>`select l.last_id::float8 as last from dockline.message_log l
          join dockline.business b on b.id = l.business_id where b.slug = ${business}`,
        ([row]) => row?.last ?? 0
      )

    const dropExpired = Effect.gen(function*() {
      const cutoff = Timestamp.fromMillis(Date.parse(yield* Timestamp.now) - settings.retentionMillis)
      let total = 0
      for (;;) {
        const [row] = yield* sql<{ readonly dropped: number }>`select dockline.message_drop(
          ${cutoff}::timestamptz, ${dropBatch}::int) as dropped`
        if (row!.dropped === 0) return total
        total += row!.dropped
      }
    })

    yield* dropExpired.pipe(
      Effect.catch((error) => Effect.logWarning("Could not drop old messages", error)),
      Effect.repeat(Schedule.spaced("1 hour")),
      Effect.forkScoped
    )

    const readPage = (query: MessageQuery, position: Position, limit: number, textLimit?: number) =>
      measured("read_messages")(operation(read(query, position, limit, textLimit)))
    const feed = yield* MessageFeed.make(
      { read: readPage, lastId: (business) => operation(lastId(business)), wakeups },
      settings
    )

    return MessageLog.of({
      append: (drafts) =>
        transaction(sql)(append(drafts)).pipe(
          repeatConflicts,
          inTurn(JSON.stringify(Array.from(new Set(drafts.map(({ business }) => business))))),
          operation,
          measured("append")
        ),
      read: readPage,
      ...feed,
      dropExpired: operation(dropExpired)
    })
  })
)
