/**
 * Exceptions of shipments on PostgreSQL: a change is one transaction of two statements, and writes its message last.
 */
import type { ReportSnapshot } from "@dockline/core/ExceptionRules"
import { ExceptionStore } from "@dockline/core/ExceptionStore"
import type { ReportedPallet } from "@dockline/core/ExceptionStore"
import type { Keep } from "@dockline/core/Keep"
import { cutPage } from "@dockline/core/Page"
import type { Location } from "@dockline/core/Place"
import type { LocatedException } from "@dockline/core/ShipmentException"
import * as Timestamp from "@dockline/core/Timestamp"
import * as TraceContext from "@dockline/core/TraceContext"
import { Effect, Layer } from "effect"
import type { Exit } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
import { afterCommit, transaction } from "../connections/AfterCommit.ts"
import { Announcer } from "../connections/Announcer.ts"
import { operations } from "../connections/Deadline.ts"
import { loans } from "../connections/Loan.ts"
import { noEnds } from "../connections/Pipeline.ts"
import { repeatConflicts } from "../connections/StorageErrors.ts"
import { measured } from "../connections/StorageMetrics.ts"
import { businessId } from "../rows/BusinessId.ts"
import { indexKey } from "../rows/IndexKey.ts"
import { businessOf, placesOf, readsOf } from "../rows/ListArguments.ts"
import { draftRows } from "../rows/MessageRows.ts"
import { ownersOfShipments } from "../rows/Owners.ts"
import type { Owner } from "../rows/Owners.ts"
import * as KeptAnswers from "./KeptAnswers.ts"

/** What `exceptions_of_shipment` returns. */
interface FoundExceptions extends Location {
  readonly exceptions: ReadonlyArray<LocatedException>
}

/** What `exception_load` returns. */
interface Loaded {
  readonly found: FoundExceptions
  readonly number: string
  readonly facilityId: number
  readonly shipment: ReportSnapshot["shipment"]
  /** `null` where none is reported. */
  readonly newExceptionId: number | null
  readonly count: number
  readonly pallet: ReportSnapshot["pallet"]
}

const sizeOf = ({ exception }: LocatedException) => ({ id: String(exception.id), items: 0 })

const locationOf = ({ business, facility }: FoundExceptions): Location => ({ business, facility })

/** Exceptions in the PostgreSQL database of the `SqlClient`, whose schema must be migrated. */
export const layer: Layer.Layer<ExceptionStore, never, SqlClient.SqlClient | Announcer> = Layer.effect(
  ExceptionStore,
  Effect.map(
    Effect.all([SqlClient.SqlClient, Announcer, operations, loans, ownersOfShipments]),
    ([sql, { announce }, operation, loan, ownerOf]) => {
      const load = (
        owner: Owner,
        shipmentId: number,
        { lpn, palletId }: ReportedPallet,
        exceptionId: number | null
      ) =>
        Effect.map(
          sql<
            { readonly loaded: Loaded | null }
          >`select dockline.exception_load(${owner.id}, ${shipmentId}::bigint, ${palletId}::bigint,
          ${lpn === "" ? null : indexKey(lpn)}::text, ${exceptionId}::bigint) as loaded`,
          ([row]) => row!.loaded
        )

      const report: ExceptionStore["Service"]["report"] = (shipmentId, about, decide, keep) =>
        transact(
          shipmentId,
          keep,
          Effect.fnUntraced(function*(owner: Owner) {
            const now = yield* Timestamp.now
            const loaded = yield* load(owner, shipmentId, about, null)
            if (loaded === null) return null
            const { count: exceptions, facilityId, number: shipmentNumber, pallet, shipment } = loaded
            const location = locationOf(loaded.found)
            const newExceptionId = loaded.newExceptionId!
            const { exception, message } = yield* Effect.fromResult(
              decide({ now, location, shipmentNumber, shipment, newExceptionId, exceptions, pallet })
            )
            const drafts = draftRows([message], facilityId, yield* TraceContext.current)
            yield* sql`select dockline.exception_report(
            ${businessId(location.business.slug)}::bigint, ${shipmentId}::bigint, ${facilityId}::bigint,
            ${JSON.stringify(exception)}::text::json, ${drafts}::text::json)`
            yield* afterCommit(() => announce(location.business.slug))
            return { location, shipmentId, shipmentNumber, exception }
          })
        )

      const resolve: ExceptionStore["Service"]["resolve"] = (shipmentId, exceptionId, decide, keep) =>
        transact(
          shipmentId,
          keep,
          Effect.fnUntraced(function*(owner: Owner) {
            const now = yield* Timestamp.now
            const loaded = yield* load(owner, shipmentId, { palletId: null, lpn: "" }, exceptionId)
            if (loaded === null) return null
            const location = locationOf(loaded.found)
            const found = loaded.found.exceptions.find(({ exception: { id } }) => id === exceptionId)
            const { facilityId, number: shipmentNumber, shipment } = loaded
            const plan = yield* Effect.fromResult(
              decide({ now, location, shipmentNumber, shipment, exception: found?.exception ?? null })
            )
            if (found === undefined) return null
            if (plan === null) return found
            const { at, by, note } = plan.exception.resolution!
            const drafts = draftRows([plan.message], facilityId, yield* TraceContext.current)
            yield* sql`select dockline.exception_resolve(
            ${businessId(location.business.slug)}::bigint, ${shipmentId}::bigint, ${exceptionId}::bigint,
            ${note}, ${at}::timestamptz, ${by}, ${drafts}::text::json)`
            yield* afterCommit(() => announce(location.business.slug))
            return { ...found, exception: plan.exception }
          })
        )

      const { keeping } = KeptAnswers.make(sql)

      const transact = <A, E, F>(
        shipmentId: number,
        keep: Keep<A, F> | undefined,
        work: (owner: Owner) => Effect.Effect<A, E | SqlError.SqlError>
      ) =>
        Effect.flatMap(
          ownerOf(shipmentId),
          (owner) =>
            transaction(sql)(keeping(KeptAnswers.single(work(owner)))([{ keep }], true, noEnds)).pipe(
              repeatConflicts,
              loan({
                lane: "requests",
                turn: JSON.stringify(["shipment", shipmentId]),
                business: owner.business
              })
            )
        ).pipe(
          operation,
          // Afterwards, as what is kept of a refusal stays. What waits is never held, and fails as its work does.
          Effect.flatMap(([done]) => done as Exit.Exit<A, E | F>),
          measured("exception")
        )

      return ExceptionStore.of({
        report,
        resolve,
        ofShipment: Effect.fnUntraced(
          function*(shipmentId, { after, limit }, reader) {
            const { business, id } = yield* ownerOf(shipmentId)
            const [row] = yield* loan({ ...readsOf(reader), business })(
              sql<{ readonly found: FoundExceptions | null }>`select
            dockline.exceptions_of_shipment(${id}, ${shipmentId}::bigint, ${after}::bigint, ${
                limit + 1
              }::int) as found`
            )
            const { found } = row!
            if (found === null) return null
            return { location: locationOf(found), page: cutPage(found.exceptions, limit, sizeOf) }
          },
          (effect) => measured("read_shipments")(operation(effect))
        ),
        list: Effect.fnUntraced(
          function*(scopes, { priority, status, ...place }, { after, limit }) {
            const [row] = yield* sql<
              { readonly page: ReadonlyArray<LocatedException> }
            >`select dockline.exception_page(
          ${placesOf(scopes, place)}::text::json, ${status ?? null}::text, ${priority ?? null}::text,
          ${after === 0 ? -Number.MAX_SAFE_INTEGER : -after}::bigint, ${limit + 1}::int) as page`
            return cutPage(row!.page, limit, sizeOf)
          },
          (effect, scopes, filter) =>
            measured("read_shipments")(
              operation(loan({ ...readsOf(scopes), business: businessOf(scopes, filter) })(effect))
            )
        )
      })
    }
  )
)
