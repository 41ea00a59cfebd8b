/**
 * Exceptions of shipments on PostgreSQL: a change is one transaction of two statements.
 */
import type { ReportSnapshot } from "@dockline/core/ExceptionRules"
import { ExceptionStore } from "@dockline/core/ExceptionStore"
import type { ReportedPallet } from "@dockline/core/ExceptionStore"
import type { Keep } from "@dockline/core/Keep"
import { cutPage } from "@dockline/core/Page"
import type { Location } from "@dockline/core/Place"
import type { LocatedException, ShipmentException } from "@dockline/core/ShipmentException"
import * as Timestamp from "@dockline/core/Timestamp"
import { Effect, Layer } from "effect"
import type { Exit } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
import { operations } from "../connections/Deadline.ts"
import { loans } from "../connections/Loan.ts"
import { noEnds } from "../connections/Pipeline.ts"
import { repeatConflicts } from "../connections/StorageErrors.ts"
import { measured } from "../connections/StorageMetrics.ts"
import { businessId } from "../rows/BusinessId.ts"
import { indexKey } from "../rows/IndexKey.ts"
import { placesOf } from "../rows/ListArguments.ts"
import { ownersOfShipments } from "../rows/Owners.ts"
import type { Owner } from "../rows/Owners.ts"
import { readsOf } from "../rows/ReadClaims.ts"
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
  readonly count: number
  readonly pallet: ReportSnapshot["pallet"]
}

const sizeOf = ({ exception }: LocatedException) => ({ id: String(exception.id), items: 0 })

const locationOf = ({ business, facility }: FoundExceptions): Location => ({ business, facility })

/** Exceptions in the PostgreSQL database of the `SqlClient`, whose schema must be migrated. */
export const layer: Layer.Layer<ExceptionStore, never, SqlClient.SqlClient> = Layer.effect(
  ExceptionStore,
  Effect.map(
    Effect.all([SqlClient.SqlClient, operations, loans, ownersOfShipments]),
    ([sql, operation, loan, ownerOf]) => {
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
            const { count: exceptions, facilityId, number: shipmentNumber, pallet } = loaded
            const location = locationOf(loaded.found)
            const snapshot = { now, location, shipmentNumber, exceptions, pallet }
            const draft = yield* Effect.fromResult(decide(snapshot))
            const { description, kind, lpn, priority, reportedAt, reportedBy } = draft
            const [made] = yield* sql<{ readonly id: string }>`select dockline.exception_report(
            ${businessId(location.business.slug)}::bigint, ${shipmentId}::bigint,
            ${facilityId}::bigint, ${draft.palletId}::bigint,
            ${lpn}, ${kind}, ${priority}, ${description}, ${reportedAt}::timestamptz, ${reportedBy})::text as id`
            const exception = { ...draft, id: Number(made!.id), resolution: null }
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
            const exception: ShipmentException | null = found?.exception ?? null
            const resolution = yield* Effect.fromResult(decide({ now, location, exception }))
            if (found === undefined) return null
            if (resolution === null) return found
            yield* sql`select dockline.exception_resolve(
            ${businessId(location.business.slug)}::bigint, ${shipmentId}::bigint, ${exceptionId}::bigint,
            ${resolution.note}, ${resolution.at}::timestamptz, ${resolution.by})`
            return { ...found, exception: { ...found.exception, resolution } }
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
            sql.withTransaction(keeping(KeptAnswers.single(work(owner)))([{ keep }], true, noEnds)).pipe(
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
          (effect, scopes) => measured("read_shipments")(operation(loan(readsOf(scopes))(effect)))
        )
      })
    }
  )
)
