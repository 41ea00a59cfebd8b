/** Exceptions of shipments in PostgreSQL (D13.5). A change is one transaction of two statements, which writes its message last. */
import { exceptionMessages } from "@dockline/core/exceptions/ExceptionRules"
import { ExceptionStore } from "@dockline/core/exceptions/Exceptions"
import type { ReportedPallet } from "@dockline/core/exceptions/Exceptions"
import { exceptionKinds, exceptionPriorities } from "@dockline/core/exceptions/ShipmentException"
import type { LocatedException } from "@dockline/core/exceptions/ShipmentException"
import type { Location } from "@dockline/core/places/Place"
import type { ExceptionId, ShipmentId } from "@dockline/core/values/Id"
import { cursorOf, cutPage } from "@dockline/core/values/Page"
import * as Timestamp from "@dockline/core/values/Timestamp"
import { Effect, Layer, Schema } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"
import { Announcer } from "../connections/Announcer.ts"
import { measured } from "../connections/StorageMetrics.ts"
import { operations } from "../connections/StoreOperations.ts"
import {
  businessId,
  listsOf,
  lpnIndexKey,
  placeAfter,
  placesOf,
  readsOfBusiness
} from "../rows/BusinessRows.ts"
import { dock, location, locationFields, texts, timestamp, whole } from "../rows/RowFields.ts"
import { page, shardsOfScopes } from "../schema/cluster/Merging.ts"
import * as SqlCapability from "../schema/SqlCapability.ts"
import { shipmentRows } from "../stores/ShipmentRows.ts"

const Exceptions = Schema.Array(Schema.Struct({
  location,
  shipmentId: whole,
  shipmentNumber: Schema.String,
  exception: Schema.Struct({
    id: whole,
    palletId: Schema.NullOr(whole),
    lpn: Schema.String,
    kind: Schema.Literals(exceptionKinds),
    priority: Schema.Literals(exceptionPriorities),
    description: Schema.String,
    reportedAt: timestamp,
    reportedBy: Schema.String,
    resolution: Schema.NullOr(Schema.Struct({ note: Schema.String, at: timestamp, by: Schema.String }))
  })
}))

/** The result of `exceptions_of_shipment`. */
const ExceptionsBody = Schema.Struct({ ...locationFields, exceptions: Exceptions })

/** The result of `exception_load`. */
const LoadBody = Schema.Struct({
  /** The time, read under the lock of the log. */
  now: timestamp,
  found: ExceptionsBody,
  number: Schema.String,
  facilityId: whole,
  shipment: Schema.Struct({ orders: texts, dock: Schema.NullOr(dock) }),
  /** `null` unless the change is a report. */
  newExceptionId: Schema.NullOr(whole),
  count: whole,
  pallet: Schema.NullOr(Schema.Struct({ id: whole, lpn: Schema.String }))
})

/** The result of `exceptions_open`. */
const OpenCounts = Schema.Struct({ open: whole, urgent: whole })

/** The result of `exception_counts`. */
const Counts = Schema.Array(Schema.Struct({ ...OpenCounts.fields, shipmentId: whole, reported: whole }))

const sizeOf = ({ exception }: LocatedException) => ({ id: String(exception.id), items: 0 })

const locationOf = ({ business, facility }: Location): Location => ({ business, facility })

/** Exceptions in the PostgreSQL database of the `SqlClient`, whose schema must be migrated. */
export const layer: Layer.Layer<ExceptionStore, never, SqlClient.SqlClient> = Layer.effect(
  ExceptionStore,
  Effect.map(Effect.all([operations, shipmentRows]), ([{ loan, operation, read }, rows]) => {
    const { call, drafts, run } = rows
    const change: typeof rows.change = (shipmentId, keep, work) =>
      measured("exception")(rows.change(shipmentId, keep, work))

    const load = (
      business: Statement.Fragment,
      shipmentId: ShipmentId,
      { lpn, palletId }: ReportedPallet,
      exceptionId: ExceptionId | null
    ) =>
      call(Schema.NullOr(LoadBody))`dockline.exception_load(${business}, ${shipmentId}, ${palletId},
        ${lpn === "" ? null : lpnIndexKey(lpn)}, ${exceptionId})`

    const report: ExceptionStore["Service"]["report"] = (shipmentId, about, decide, keep) =>
      change(
        shipmentId,
        keep,
        Effect.fnUntraced(function*(business) {
          const snapshot = yield* load(business, shipmentId, about, null)
          if (snapshot === null) return null
          const { count: exceptions, facilityId, number: shipmentNumber, pallet, shipment } = snapshot
          const givenNow = yield* Timestamp.givenNow
          const now = givenNow ?? snapshot.now
          const location = locationOf(snapshot.found)
          // A report has an id for its exception.
          const newExceptionId = snapshot.newExceptionId!
          const { exception, message } = yield* Effect.fromResult(
            decide({ now, location, shipmentNumber, shipment, newExceptionId, exceptions, pallet })
          )
          const messages = yield* drafts([message], facilityId)
          yield* run`dockline.exception_report(${businessId(location.business.slug)}, ${shipmentId},
            ${facilityId}, ${JSON.stringify(exception)}, ${messages}, ${givenNow})`
          return { location, shipmentId, shipmentNumber, exception }
        })
      )

    const resolve: ExceptionStore["Service"]["resolve"] = (shipmentId, exceptionId, decide, keep) =>
      change(
        shipmentId,
        keep,
        Effect.fnUntraced(function*(business) {
          const snapshot = yield* load(business, shipmentId, { palletId: null, lpn: "" }, exceptionId)
          if (snapshot === null) return null
          const location = locationOf(snapshot.found)
          const match = snapshot.found.exceptions.find(({ exception: { id } }) => id === exceptionId)
          const { facilityId, number: shipmentNumber, shipment } = snapshot
          const givenNow = yield* Timestamp.givenNow
          const now = givenNow ?? snapshot.now
          const plan = yield* Effect.fromResult(
            decide({ now, location, shipmentNumber, shipment, exception: match?.exception ?? null })
          )
          if (match === undefined) return null
          if (plan === null) return match
          // This plan resolves the exception, so it has a resolution.
          const { at, by, note } = plan.exception.resolution!
          const messages = yield* drafts([plan.message], facilityId)
          yield* run`dockline.exception_resolve(${businessId(location.business.slug)}, ${shipmentId},
            ${exceptionId}, ${note}, ${at}, ${by}, ${messages}, ${givenNow})`
          return { ...match, exception: plan.exception }
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
              call(
                Schema.NullOr(ExceptionsBody)
              )`dockline.exceptions_of_shipment(${business}, ${shipmentId}, ${after},
                ${limit + 1})`
          ),
          (body) => body && { location: locationOf(body), page: cutPage(body.exceptions, limit, sizeOf) }
        ),
      list: Effect.fnUntraced(
        function*(scopes, { priority, status, ...place }, { after, limit }) {
          const page = yield* call(Exceptions)`dockline.exception_page(
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
          call(Counts)`dockline.exception_counts(${businessId(business)},
            ${shipmentIds})`
        ),
      openAt: ({ business, facility }, atMost) =>
        ofBusiness(
          business,
          call(OpenCounts)`dockline.exceptions_open(${businessId(business)},
            ${facility}, ${atMost})`
        )
    })
  })
).pipe(Layer.provide(Announcer.layer))

/** The part in PostgreSQL of the capability `exceptions`. */
export const exceptionsSql = SqlCapability.make("exceptions", {
  stores: layer,
  migrations: {
    "1_exceptions": SqlCapability.statementsOf(
      new URL("../../sql/exceptions/1_exceptions.sql", import.meta.url)
    )
  },
  functions: SqlCapability.functionsOf(new URL("../../sql/exceptions/exceptions.sql", import.meta.url)),
  messageTypes: Object.keys(exceptionMessages),
  cluster: {
    tables: ["shipment_exception"],
    sequences: ["shipment_exception_id"],
    spanning: {
      exception_page: page(
        shardsOfScopes,
        "dockline.list_place((e->'exception'->>'reportedAt')::timestamptz, (e->'exception'->>'id')::bigint)"
      )
    }
  }
})
