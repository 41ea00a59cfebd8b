/**
 * The record of the files exchanged with EDI partners, on PostgreSQL. It drops old files by itself.
 */
import { AnswerRoom } from "@dockline/core/access/RequestLimits"
import { CursorAhead, HistoryExpired } from "@dockline/core/values/Errors"
import type { StorageUnavailable } from "@dockline/core/values/Errors"
import { cursorOf, cutPage, mapPage, pageBudget } from "@dockline/core/values/Page"
import {
  businessId,
  listsOf,
  operations,
  ownersBy,
  placeAfter,
  placesOf,
  readsOf
} from "@dockline/sql-storage/rows/BusinessRows"
import { bigintText, whole } from "@dockline/sql-storage/rows/RowFields"
import * as Cleanup from "@dockline/sql-storage/stores/Cleanup"
import { Effect, Schema } from "effect"
import { ediRetentionMillis } from "../domain/EdiFile.ts"
import { rejectionLimit } from "../domain/EdiStore.ts"
import type { EdiStore } from "../domain/EdiStore.ts"
import { FileEntry, FileTexts, OutboxBody, Rejections } from "./EdiRows.ts"
import { loadRoomy, loadText, textPart } from "./ShownFile.ts"

/** The most files that one statement drops. */
const dropBatch = 200

/** Makes the methods of the record. */
export const make = Effect.gen(function*() {
  const means = yield* operations
  const { call, loan, operation, query, read, write } = means
  const ownerOf = yield* ownersBy("edi_file_business")

  /** Files whose retention has ended, by the ids of their businesses. */
  const expired: Cleanup.Expired<string, StorageUnavailable> = {
    since: Cleanup.cutoff(means, ediRetentionMillis),
    look: (since) =>
      write()(Effect.map(
        query(
          Schema.Struct({ id: bigintText })
        )`select expired::text as id from dockline.edi_expired(${since}) as expired`,
        (rows) => rows.map(({ id }) => id)
      )),
    drop: (business, _after, since) =>
      write({ business })(Effect.map(
        call(whole)`dockline.edi_drop(${business}, ${since}, ${dropBatch})`,
        (count) => Cleanup.batchOf(count, dropBatch)
      ))
  }
  yield* Cleanup.run("edi_files", expired)

  return {
    files: Effect.fnUntraced(
      function*(scopes, { direction, outcome, partner, shipmentId, ...place }, { after, limit }) {
        const page = yield* call(Schema.Array(FileEntry))`dockline.edi_file_page(
          ${placesOf(scopes, place)}, ${partner ?? null}, ${direction ?? null}, ${outcome ?? null},
          ${shipmentId ?? null}, ${placeAfter(after)}, ${limit + 1})`
        return cutPage(page, limit, ({ at, id }) => ({ id: cursorOf({ at, id }) }))
      },
      (effect, scopes, filter) => read(listsOf(scopes, filter))(effect)
    ),
    file: Effect.fnUntraced(function*(id, reader) {
      const { business, id: owner } = yield* ownerOf(id)
      return yield* loadRoomy(call, loan({ ...readsOf(reader), business }), owner, id)
    }, (effect) => operation(effect)),
    outbox: Effect.fnUntraced(function*({ business, facility, partner }, { after, limit }) {
      const id = businessId(business)
      const onLoan = loan({ ...readsOf([business]), business: id })
      const result = yield* onLoan(call(OutboxBody)`dockline.edi_outbox(
          ${id}, ${facility ?? null}, ${partner ?? null}, ${after}, ${limit + 1}, ${pageBudget.text})`)
      if ("expired" in result) return yield* new HistoryExpired({ business, droppedId: result.expired })
      if ("ahead" in result) return yield* new CursorAhead({ business, newestId: result.ahead })
      const page = cutPage(result.files, limit, ([{ id }, text]) => ({ id: String(id), text }))
      const room = yield* AnswerRoom
      yield* room.take(page.items.reduce((sum, [, characters]) => sum + characters, 0))
      const short = page.items.filter(([, characters]) => characters <= textPart)
      const texts = new Map(
        yield* onLoan(call(FileTexts)`dockline.edi_file_texts(
          ${id}, ${short.map(([{ id }]) => id)})`)
      )
      for (const [entry, characters] of page.items) {
        if (characters <= textPart) continue
        const part: typeof call = (schema) => (text, ...args) => onLoan(call(schema)(text, ...args))
        texts.set(entry.id, yield* loadText(part, id, entry.id, false))
      }
      return mapPage(page, ([{ rejectedCount: _rejected, setCount: _sets, ...entry }]) => ({
        ...entry,
        // The text of a file that has expired meanwhile is empty.
        text: texts.get(entry.id) ?? ""
      }))
    }, (effect) => operation(effect)),
    rejections: (business, since) =>
      write({ business: businessId(business) })(
        call(Rejections)`dockline.edi_rejections(${businessId(business)}, ${since}, ${rejectionLimit})`
      ),
    dropExpired: Effect.map(Cleanup.round(expired), ({ count }) => count)
  } satisfies Pick<EdiStore["Service"], "dropExpired" | "file" | "files" | "outbox" | "rejections">
})
