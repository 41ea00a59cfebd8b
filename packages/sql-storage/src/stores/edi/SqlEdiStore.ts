/**
 * Partners, and the record of what is exchanged with them, on PostgreSQL: interchanges of a business that are recorded at the same time
 * share a transaction of two statements, under the lock of its exchange.
 */
import { everything } from "@dockline/core/Access"
import { ediRetentionMillis } from "@dockline/core/EdiFile"
import type { EdiFileEntry } from "@dockline/core/EdiFile"
import { EdiStore } from "@dockline/core/EdiStore"
import type { EdiAbout, EdiState, EdiStep, PartnerName } from "@dockline/core/EdiStore"
import { CursorAhead, HistoryExpired } from "@dockline/core/Errors"
import type { StorageUnavailable } from "@dockline/core/Errors"
import { cutPage, pageBudget } from "@dockline/core/Page"
import * as Timestamp from "@dockline/core/Timestamp"
import { Effect, Layer } from "effect"
import type { Context, Exit, Result } from "effect"
import { SqlClient } from "effect/sql"
import { transaction } from "../../connections/AfterCommit.ts"
import { Announcer } from "../../connections/Announcer.ts"
import { Deadline, operations, within } from "../../connections/Deadline.ts"
import { loans } from "../../connections/Loan.ts"
import { oneRow } from "../../connections/OneRow.ts"
import { repeatConflicts } from "../../connections/StorageErrors.ts"
import { businessId } from "../../rows/BusinessId.ts"
import { businessOf, placesOf } from "../../rows/ListArguments.ts"
import { readsOf } from "../../rows/ListArguments.ts"
import { ownersOfEdiFiles } from "../../rows/Owners.ts"
import * as Cleanup from "../Cleanup.ts"
import * as EdiSteps from "./EdiSteps.ts"
import * as EdiTurns from "./EdiTurns.ts"
import { toFile } from "./ShownFile.ts"
import type { ShownFile } from "./ShownFile.ts"
import { arrivals } from "./SqlEdiArrivals.ts"
import { partners } from "./SqlEdiPartners.ts"

/** The most files that one statement drops. */
const dropBatch = 200

/** The exchange in the PostgreSQL database of the `SqlClient`, whose schema must be migrated; drops old files by itself. */
export const layer: Layer.Layer<EdiStore, never, SqlClient.SqlClient | Announcer> = Layer.effect(
  EdiStore,
  Effect.gen(function*() {
    yield* cleanup
    return EdiStore.of({
      ...(yield* partners),
      ...(yield* arrivals),
      ...(yield* exchange),
      ...(yield* record)
    })
  })
)

const exchange = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const { announce, wakeups } = yield* Announcer
  const operation = yield* operations
  const loan = yield* loans

  const known = ({ business, partner }: PartnerName, control: string) =>
    Effect.map(
      oneRow(
        sql<{ readonly body: ShownFile | null }>`select dockline.edi_known(${businessId(business)}::bigint,
        ${partner}, ${control}) as body`
      ),
      ({ body }) => body && toFile(body)
    )

  const doSteps = EdiSteps.make({ sql, known, announce })
  const { millis } = yield* Deadline
  const transacted = (business: string, steps: ReadonlyArray<EdiSteps.Step>) =>
    transaction(sql)(doSteps(business, steps)).pipe(
      repeatConflicts,
      loan({
        lane: "requests",
        turn: JSON.stringify(["edi", business]),
        business: businessId(business)
      }),
      operation
    )
  const inTurn = yield* EdiTurns.make<EdiSteps.Step, Exit.Exit<unknown, unknown>, StorageUnavailable>({
    run: transacted,
    inTime: (wait) => within(wait, millis)
  })
  /** What tells of a departure may lock the log of the business (`edi_deliver`): nothing else is done before it is committed. */
  const alone = (business: string, step: EdiSteps.Step) =>
    Effect.map(transacted(business, [step]), (exits) => exits[0]!)

  const service: Pick<EdiStore["Service"], "behind" | "known" | "transact" | "watch"> = {
    known: (name, control) =>
      operation(loan({ lane: "reads", business: businessId(name.business) })(known(name, control))),
    transact: <A, E>(
      { business, partner }: PartnerName,
      about: EdiAbout,
      decide: (state: EdiState) => Result.Result<EdiStep<A>, E>
    ) =>
      Effect.contextWith((context: Context.Context<never>) =>
        Effect.flatMap(
          (about.reservation === undefined ? alone : inTurn)(business, {
            partner,
            about,
            decide,
            now: Effect.provideContext(Timestamp.now, context)
          }),
          // What does steps knows nothing of what each comes to.
          (exit) => exit as Exit.Exit<A | null, E>
        )
      ),
    behind: (limit) =>
      operation(
        loan({ lane: "requests" })(Effect.map(
          oneRow(sql<{ readonly found: Effect.Success<ReturnType<EdiStore["Service"]["behind"]>> }>`select
          dockline.edi_behind(${limit}::int) as found`),
          ({ found }) => found
        ))
      ),
    watch: (wake) =>
      Effect.asVoid(Effect.acquireRelease(
        Effect.sync(() => wakeups.add(everything, wake)),
        (leave) => Effect.sync(leave)
      ))
  }
  return service
})

const record = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const operation = yield* operations
  const loan = yield* loans
  const ownerOf = yield* ownersOfEdiFiles
  const expired = yield* expiredFiles

  const service: Pick<EdiStore["Service"], "dropExpired" | "file" | "files" | "outbox"> = {
    files: Effect.fnUntraced(
      function*(scopes, { direction, outcome, partner, ...place }, { after, limit }) {
        const { page } = yield* oneRow(sql<
          { readonly page: ReadonlyArray<EdiFileEntry> }
        >`select dockline.edi_file_page(${placesOf(scopes, place)}::text::json, ${partner ?? null}::text,
          ${direction ?? null}::text, ${outcome ?? null}::text,
          ${after === 0 ? -Number.MAX_SAFE_INTEGER : -after}::bigint, ${limit + 1}::int) as page`)
        return cutPage(page, limit, ({ id }) => ({ id: String(id) }))
      },
      (effect, scopes, filter) =>
        operation(loan({ ...readsOf(scopes), business: businessOf(scopes, filter) })(effect))
    ),
    file: Effect.fnUntraced(function*(id, reader) {
      const { business, id: owner } = yield* ownerOf(id)
      const { body } = yield* loan({ ...readsOf(reader), business })(
        oneRow(sql<{ readonly body: ShownFile | null }>`select
          dockline.edi_file_shown(${owner}, ${id}::bigint) as body`)
      )
      return body && toFile(body)
    }, (effect) => operation(effect)),
    outbox: Effect.fnUntraced(
      function*({ business, facility, partner }, { after, limit }) {
        const { found } = yield* oneRow(sql<{
          readonly found:
            | { readonly expired: number }
            | { readonly ahead: number }
            | { readonly files: ReadonlyArray<readonly [entry: EdiFileEntry, text: string]> }
        }>`select dockline.edi_outbox(${businessId(business)}::bigint, ${facility ?? null}::text,
        ${partner ?? null}::text, ${after}::bigint, ${limit + 1}::int, ${pageBudget.text}::bigint) as found`)
        if ("expired" in found) return yield* new HistoryExpired({ business, droppedId: found.expired })
        if ("ahead" in found) return yield* new CursorAhead({ business, newestId: found.ahead })
        const all = found.files.map(([{ rejectedCount: _rejected, setCount: _sets, ...entry }, text]) => ({
          ...entry,
          text
        }))
        return cutPage(all, limit, ({ id, text }) => ({ id: String(id), text: text.length }))
      },
      (effect, { business }) =>
        operation(loan({ ...readsOf([business]), business: businessId(business) })(effect))
    ),
    dropExpired: Effect.map(Cleanup.round(expired), ({ dropped }) => dropped)
  }
  return service
})

/** Files that have been kept for long enough, by the ids of their businesses. */
const expiredFiles = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const operation = yield* operations
  const loan = yield* loans
  const cutoff = Effect.map(
    Timestamp.now,
    (now) => Timestamp.fromMillis(Date.parse(now) - ediRetentionMillis)
  )
  const expired: Cleanup.Expired<string, StorageUnavailable> = {
    look: operation(
      loan({ lane: "requests" })(Effect.flatMap(cutoff, (cutoff) =>
        Effect.map(
          sql<{ readonly id: string }>`select expired::text as id
          from dockline.edi_expired(${cutoff}::timestamptz) as expired`,
          (rows) => rows.map(({ id }) => id)
        )))
    ),
    drop: (business) =>
      operation(
        loan({ lane: "requests", business })(repeatConflicts(Effect.flatMap(cutoff, (cutoff) =>
          Effect.map(
            oneRow(sql<{ readonly dropped: number }>`select dockline.edi_drop(${business}::bigint,
            ${cutoff}::timestamptz, ${dropBatch}::int) as dropped`),
            ({ dropped }) => ({ dropped, next: dropped < dropBatch ? null : 1 })
          ))))
      )
  }
  return expired
})

const cleanup = Effect.flatMap(expiredFiles, (expired) => Cleanup.run("edi_files", expired))
