/**
 * Exceptions of shipments on PostgreSQL: a change is one transaction of two statements, and writes its message last.
 */
import type { ReportSnapshot } from "@dockline/core/exceptions/ExceptionRules"
import { ExceptionStore } from "@dockline/core/exceptions/ExceptionStore"
import type { ExceptionCounts, ReportedPallet } from "@dockline/core/exceptions/ExceptionStore"
import type { LocatedException } from "@dockline/core/exceptions/ShipmentException"
import type { Location } from "@dockline/core/places/Place"
import { cursorOf, cutPage } from "@dockline/core/values/Page"
import * as Timestamp from "@dockline/core/values/Timestamp"
import { Effect, Layer } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"
import { Announcer } from "../connections/Announcer.ts"
import { measured } from "../connections/StorageMetrics.ts"
import { operations } from "../connections/StoreOperations.ts"
import { businessId } from "../rows/BusinessId.ts"
import { lpnIndexKey } from "../rows/IndexKey.ts"
import { listsOf, placeAfter, placesOf, readsOfBusiness } from "../rows/ListArguments.ts"
import { shipmentRows } from "../stores/ShipmentRows.ts"

/** What `exceptions_of_shipment` returns. */
interface FoundExceptions extends Location {
  readonly exceptions: ReadonlyArray<LocatedException>
}

/** What `exception_load` returns. */
interface Loaded {
  /** The time, read under the lock of the log. */
  readonly now: Timestamp.Timestamp
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
export const layer: Layer.Layer<ExceptionStore, never, SqlClient.SqlClient> = Layer.effect(
  ExceptionStore,
  Effect.map(Effect.all([operations, shipmentRows]), ([{ loan, operation, read }, rows]) => {
    const { call, drafts } = rows
    const change: typeof rows.change = (shipmentId, keep, work) =>
      measured("exception")(rows.change(shipmentId, keep, work))

    const load = (
      business: Statement.Fragment,
      shipmentId: number,
      { lpn, palletId }: ReportedPallet,
      exceptionId: number | null
    ) =>
      call<Loaded | null>`dockline.exception_load(${business}, ${shipmentId}, ${palletId},
        ${lpn === "" ? null : lpnIndexKey(lpn)}, ${exceptionId})`

    const report: ExceptionStore["Service"]["report"] = (shipmentId, about, decide, keep) =>
      change(
        shipmentId,
        keep,
        Effect.fnUntraced(function*(business) {
          const loaded = yield* load(business, shipmentId, about, null)
          if (loaded === null) return null
          const { count: exceptions, facilityId, number: shipmentNumber, pallet, shipment } = loaded
          const givenNow = yield* Timestamp.givenNow
          const now = givenNow ?? loaded.now
          const location = locationOf(loaded.found)
          // There is an id for an exception that is reported.
          const newExceptionId = loaded.newExceptionId!
          const { exception, message } = yield* Effect.fromResult(
            decide({ now, location, shipmentNumber, shipment, newExceptionId, exceptions, pallet })
          )
          const messages = yield* drafts([message], facilityId)
          yield* call`dockline.exception_report(${businessId(location.business.slug)}, ${shipmentId},
            ${facilityId}, ${JSON.stringify(exception)}, ${messages}, ${givenNow})`
          return { location, shipmentId, shipmentNumber, exception }
        })
      )

    const resolve: ExceptionStore["Service"]["resolve"] = (shipmentId, exceptionId, decide, keep) =>
      change(
        shipmentId,
        keep,
        Effect.fnUntraced(function*(business) {
          const loaded = yield* load(business, shipmentId, { palletId: null, lpn: "" }, exceptionId)
          if (loaded === null) return null
          const location = locationOf(loaded.found)
          const found = loaded.found.exceptions.find(({ exception: { id } }) => id === exceptionId)
          const { facilityId, number: shipmentNumber, shipment } = loaded
          const givenNow = yield* Timestamp.givenNow
          const now = givenNow ?? loaded.now
          const plan = yield* Effect.fromResult(
            decide({ now, location, shipmentNumber, shipment, exception: found?.exception ?? null })
          )
          if (found === undefined) return null
          if (plan === null) return found
          // The plan is to resolve it.
          const { at, by, note } = plan.exception.resolution!
          const messages = yield* drafts([plan.message], facilityId)
          yield* call`dockline.exception_resolve(${businessId(location.business.slug)}, ${shipmentId},
            ${exceptionId}, ${note}, ${at}, ${by}, ${messages}, ${givenNow})`
          return { ...found, exception: plan.exception }
        })
      )

    const ofBusiness = <A>(business: string, read: Effect.Effect<A, SqlError.SqlError>) =>
      measured("read_shipments")(
        operation(loan({ ...readsOfBusiness(businessId(business)), business: businessId(business) })(read))
      )

    return ExceptionStore.of({
      report,
      resolve,
      ofShipment: (shipmentId, { after, limit }, reader) =>
        Effect.map(
          rows.read(
            shipmentId,
            reader,
            (business) =>
              call<
                FoundExceptions | null
              >`dockline.exceptions_of_shipment(${business}, ${shipmentId}, ${after},
                ${limit + 1})`
          ),
          (found) => found && { location: locationOf(found), page: cutPage(found.exceptions, limit, sizeOf) }
        ),
      list: Effect.fnUntraced(
        function*(scopes, { priority, status, ...place }, { after, limit }) {
          const page = yield* call<ReadonlyArray<LocatedException>>`dockline.exception_page(
            ${placesOf(scopes, place)}, ${status ?? null}, ${priority ?? null}, ${placeAfter(after)},
            ${limit + 1})`
          return cutPage(page, limit, ({ exception: { id, reportedAt } }) => ({
            id: cursorOf({ at: reportedAt, id })
          }))
        },
        (effect, scopes, filter) => measured("read_shipments")(read(listsOf(scopes, filter))(effect))
      ),
      countsOf: ({ business }, shipmentIds) =>
        ofBusiness(
          business,
          call<ReadonlyArray<ExceptionCounts>>`dockline.exception_counts(${businessId(business)},
            ${shipmentIds})`
        ),
      openAt: ({ business, facility }, atMost) =>
        ofBusiness(
          business,
          call<Pick<ExceptionCounts, "open" | "urgent">>`dockline.exceptions_open(${businessId(business)},
            ${facility}, ${atMost})`
        )
    })
  })
).pipe(Layer.provide(Announcer.layer))
