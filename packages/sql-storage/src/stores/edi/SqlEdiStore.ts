/**
 * Partners, and the record of what is exchanged with them, on PostgreSQL: a step is one transaction of two statements, under the lock
 * of the exchange of its business.
 */
import { everything } from "@dockline/core/Access"
import { countsOf, ediRetentionMillis } from "@dockline/core/EdiFile"
import type { EdiFile, EdiFileDraft, EdiFileEntry } from "@dockline/core/EdiFile"
import { EdiStore } from "@dockline/core/EdiStore"
import type { EdiAbout, EdiPlan, EdiState, EdiStep, PartnerName } from "@dockline/core/EdiStore"
import { CursorAhead, HistoryExpired } from "@dockline/core/Errors"
import type { StorageUnavailable } from "@dockline/core/Errors"
import { cutPage, pageBudget } from "@dockline/core/Page"
import * as Timestamp from "@dockline/core/Timestamp"
import { Effect, Exit, Layer } from "effect"
import type { Result } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
import { transaction } from "../../connections/AfterCommit.ts"
import { Announcer } from "../../connections/Announcer.ts"
import { Deadline, operations, within } from "../../connections/Deadline.ts"
import { loans } from "../../connections/Loan.ts"
import { oneRow } from "../../connections/OneRow.ts"
import { repeatConflicts } from "../../connections/StorageErrors.ts"
import { businessId } from "../../rows/BusinessId.ts"
import { indexKey } from "../../rows/IndexKey.ts"
import { businessOf, placesOf } from "../../rows/ListArguments.ts"
import { readsOf } from "../../rows/ListArguments.ts"
import { ownersOfEdiFiles } from "../../rows/Owners.ts"
import * as Cleanup from "../Cleanup.ts"
import * as EdiTurns from "./EdiTurns.ts"
import { toFile } from "./ShownFile.ts"
import type { ShownFile } from "./ShownFile.ts"
import { arrivals } from "./SqlEdiArrivals.ts"
import { partners } from "./SqlEdiPartners.ts"

/** What `edi_begin` returns. */
interface Begun extends Omit<EdiState, "known" | "now"> {
  readonly known: ShownFile | null
}

/** What is written of a plan, but for the texts of its file. */
const rowOf = ({ file, marked, owns: _owns, ...plan }: EdiPlan): string => {
  const groups = file?.direction === "OUT" ? file.sets.map(({ groupControl }) => Number(groupControl)) : []
  const given = groups.filter((group) => group > 0)
  return JSON.stringify({
    ...plan,
    marked: marked.map((each) => ({ ...each, rejectedCount: countsOf(each.sets).rejectedCount })),
    file: file && {
      ...file,
      ...countsOf(file.sets),
      text: undefined,
      answer: undefined,
      firstGroup: given.length === 0 ? null : Math.min(...given),
      lastGroup: given.length === 0 ? null : Math.max(...given)
    }
  })
}

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
  const { wakeups } = yield* Announcer
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

  const step = Effect.fnUntraced(function*<A, E>(
    { business, partner }: PartnerName,
    { control, groups = [], reservation, shipmentIds = [], shipmentNumber }: EdiAbout,
    decide: (state: EdiState) => Result.Result<EdiStep<A>, E>
  ) {
    const id = businessId(business)
    const key = shipmentNumber === undefined ? null : indexKey(shipmentNumber)
    const { begun } = yield* oneRow(sql<{ readonly begun: Begun | null }>`select dockline.edi_begin(
      ${id}::bigint, ${partner}, ${control ?? null}::text, ${
      Array.from(new Set(groups))
    }::int[], ${key}::text,
      ${shipmentIds.map(String)}::bigint[], ${reservation ?? null}::bigint,
      ${yield* Timestamp.now}::timestamptz) as begun`)
    if (begun === null) return Exit.succeed(null)
    // Under the lock, so that times grow with ids.
    const now = yield* Timestamp.now
    const decided = yield* Effect.exit(
      Effect.suspend(() =>
        Effect.fromResult(decide({ ...begun, now, known: begun.known && toFile(begun.known) }))
      )
    )
    if (Exit.isFailure(decided)) return decided
    const { answer, plan } = decided.value
    if (plan === null) return Exit.succeed(answer(null))
    const { file } = plan
    const { entry } = yield* oneRow(sql<{ readonly entry: EdiFileEntry | null }>`select dockline.edi_write(
      ${id}::bigint, ${partner}, ${rowOf(plan)}::text::json, ${file?.text ?? ""}, ${file?.answer ?? ""},
      ${key}::text, ${reservation ?? null}::bigint, ${(plan.owns ?? []).map(indexKey)}::text[],
      ${now}::timestamptz) as entry`)
    return Exit.succeed(answer(file === null || entry === null ? null : added(file, entry)))
  })

  const { millis } = yield* Deadline
  const inTurn = yield* EdiTurns.make<SqlError.SqlError, StorageUnavailable>(
    (business, steps) =>
      transaction(sql)(steps).pipe(
        repeatConflicts,
        loan({
          lane: "requests",
          turn: JSON.stringify(["edi", business]),
          business: businessId(business)
        }),
        operation
      ),
    (wait) => within(wait, millis)
  )

  const service: Pick<EdiStore["Service"], "behind" | "known" | "transact" | "watch"> = {
    known: (name, control) =>
      operation(loan({ lane: "reads", business: businessId(name.business) })(known(name, control))),
    transact: <A, E>(
      name: PartnerName,
      about: EdiAbout,
      decide: (state: EdiState) => Result.Result<EdiStep<A>, E>
    ) =>
      Effect.flatMap(
        inTurn(name.business, step(name, about, decide)),
        // The turns know nothing of what a step comes to.
        (exit) => exit as Exit.Exit<A | null, E>
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

const added = (file: EdiFileDraft, { at, id, location, partner }: EdiFileEntry): EdiFile => ({
  ...file,
  id,
  location,
  partner,
  at
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
