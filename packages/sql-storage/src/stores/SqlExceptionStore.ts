/**
 * Exceptions of shipments on PostgreSQL: a change is one transaction of two statements.
 */
import { ExceptionStore } from "@dockline/core/ExceptionStore"
import { cutPage } from "@dockline/core/Page"
import type { Location } from "@dockline/core/Place"
import type { ShipmentException } from "@dockline/core/ShipmentException"
import * as Timestamp from "@dockline/core/Timestamp"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { operations } from "../connections/Deadline.ts"
import { loans } from "../connections/Loan.ts"
import { repeatConflicts } from "../connections/StorageErrors.ts"
import { measured } from "../connections/StorageMetrics.ts"
import { businessId } from "../rows/BusinessId.ts"

/** What `exceptions_of_shipment` returns. */
interface FoundExceptions extends Location {
  readonly exceptions: ReadonlyArray<ShipmentException>
}

/** What `exception_load` returns. */
interface Loaded {
  readonly found: FoundExceptions
  readonly number: string
  readonly count: number
  /** `null` when the shipment has no such pallet. */
  readonly lpn: string | null
}

const locationOf = ({ business, facility }: FoundExceptions): Location => ({ business, facility })

/** Exceptions in the PostgreSQL database of the `SqlClient`, whose schema must be migrated. */
export const layer: Layer.Layer<ExceptionStore, never, SqlClient.SqlClient> = Layer.effect(
  ExceptionStore,
  Effect.map(Effect.all([SqlClient.SqlClient, operations, loans]), ([sql, operation, loan]) => {
    const load = (shipmentId: number, palletId: number | null, exceptionId: number | null) =>
      Effect.map(
        sql<{ readonly loaded: Loaded | null }>`select dockline.exception_load(
          dockline.shipment_business(${shipmentId}::bigint), ${shipmentId}::bigint, ${palletId}::bigint,
          ${exceptionId}::bigint) as loaded`,
        ([row]) => row!.loaded
      )

    const report: ExceptionStore["Service"]["report"] = (shipmentId, palletId, decide) =>
      transact(
        shipmentId,
        Effect.gen(function*() {
          const now = yield* Timestamp.now
          const loaded = yield* load(shipmentId, palletId, null)
          if (loaded === null) return null
          const { count: exceptions, lpn, number: shipmentNumber } = loaded
          const location = locationOf(loaded.found)
          const snapshot = { now, location, shipmentNumber, exceptions, hasPallet: lpn !== null }
          const draft = yield* Effect.fromResult(decide(snapshot))
          const { description, kind, priority, reportedAt, reportedBy } = draft
          const [made] = yield* sql<{ readonly id: string }>`insert into dockline.shipment_exception
            (business_id, shipment_id, pallet_id, kind, priority, description, reported_at, reported_by)
            values (${
            businessId(location.business.slug)
          }::bigint, ${shipmentId}::bigint, ${draft.palletId}::bigint,
              ${kind}, ${priority}, ${description}, ${reportedAt}::timestamptz, ${reportedBy})
            returning id::text as id`
          return {
            location,
            exception: { ...draft, id: Number(made!.id), lpn: lpn ?? "", resolution: null }
          }
        })
      )

    const resolve: ExceptionStore["Service"]["resolve"] = (shipmentId, exceptionId, decide) =>
      transact(
        shipmentId,
        Effect.gen(function*() {
          const now = yield* Timestamp.now
          const loaded = yield* load(shipmentId, null, exceptionId)
          if (loaded === null) return null
          const location = locationOf(loaded.found)
          const exception = loaded.found.exceptions.find(({ id }) => id === exceptionId) ?? null
          const resolution = yield* Effect.fromResult(decide({ now, location, exception }))
          if (exception === null) return null
          if (resolution === null) return { location, exception }
          yield* sql`select dockline.exception_resolve(
            ${businessId(location.business.slug)}::bigint, ${shipmentId}::bigint, ${exceptionId}::bigint,
            ${resolution.note}, ${resolution.at}::timestamptz, ${resolution.by})`
          return { location, exception: { ...exception, resolution } }
        })
      )

    const transact = <A, E, R>(shipmentId: number, effect: Effect.Effect<A, E, R>) =>
      sql.withTransaction(effect).pipe(
        repeatConflicts,
        loan({ lane: "requests", turn: JSON.stringify(["shipment", shipmentId]) }),
        operation,
        measured("exception")
      )

    return ExceptionStore.of({
      report,
      resolve,
      ofShipment: Effect.fnUntraced(function*(shipmentId, { after, limit }) {
        const [row] = yield* sql<{ readonly found: FoundExceptions | null }>`select
          dockline.exceptions_of_shipment(dockline.shipment_business(${shipmentId}::bigint), ${shipmentId}::bigint,
            ${after}::bigint, ${limit + 1}::int) as found`
        const { found } = row!
        if (found === null) return null
        const page = cutPage(found.exceptions, limit, ({ id }) => ({ id: String(id), items: 0 }))
        return { location: locationOf(found), page }
      }, (effect) => measured("read_shipments")(operation(effect)))
    })
  })
)
