/**
 * Lists shipments in the order of ids or of their times (D5.1, D13.10), optionally only those with discrepancies (D13.4).
 *
 * Guarantee: a page holds only shipments within the scopes, and its `next` continues in the requested order.
 */
import { Effect, Result } from "effect"
import type { ReadScope } from "../access/Access.ts"
import type * as Operation from "../access/Operation.ts"
import { filledLpn, filledOrUndefined, placeOf } from "../places/ListQuery.ts"
import type { LocatedShipment } from "../shipment/Shipment.ts"
import type { ReadFailure, ShipmentStore } from "../shipment/ShipmentStore.ts"
import type { ShipmentView } from "../shipment/View.ts"
import { InvalidParameter } from "../values/Errors.ts"
import { cursorOf, idPage, limitOf, positionOf } from "../values/Page.ts"
import type { Page } from "../values/Page.ts"
import * as Timestamp from "../values/Timestamp.ts"
import type { ShipmentOrder } from "../values/Vocabulary.ts"
import type { listShipments as listing } from "./ShipmentOperations.ts"

/** The filters, the order and the page of a list of shipments. */
export type ShipmentQuery = Operation.Query<typeof listing>

/** The `after` of the page that follows a shipment in the list of a query. */
export const cursorOfShipment = ({ id, ...shipment }: ShipmentView, query: ShipmentQuery): string =>
  orderOf(query) === "ID" ? String(id) : cursorOf({ at: timeOf(shipment), id })

/** The time of a shipment (D13.10) from its view: the same as `timeOf` in `Shipment.ts`, or pages would skip shipments. */
const timeOf = (
  { expectedArrivalAt, statusEvents }: Pick<ShipmentView, "expectedArrivalAt" | "statusEvents">
) =>
  statusEvents.findLast(({ completed, status }) =>
    completed && (status === "ARRIVED" || status === "DEPARTED")
  )
    ?.completedAt ?? expectedArrivalAt

/** Whether a filter is served only in the order of times. */
const needsTimeOrder = ({ carrier, from, to, trailerNumber }: ShipmentQuery): boolean =>
  [carrier, trailerNumber, from, to].some((text) => filledOrUndefined(text) !== undefined)

const orderOf = (query: ShipmentQuery): ShipmentOrder =>
  filledOrUndefined(query.order) ?? (needsTimeOrder(query) ? "LATEST" : "ID")

/**
 * The faults of combinations that no index serves in order:
 *
 * - an LPN with another filter than the place,
 * - a trailer number with a carrier,
 * - `from`, `to`, a carrier or a trailer number with the order `ID`.
 */
const faultsOf = (query: ShipmentQuery, order: ShipmentOrder): InvalidParameter["errors"] => {
  const isGiven = (name: keyof ShipmentQuery) =>
    query[name] !== undefined && query[name] !== "" && query[name] !== false
  const without = (names: ReadonlyArray<keyof ShipmentQuery>, name: keyof ShipmentQuery) =>
    isGiven(name)
      ? names.filter(isGiven).map((path) => ({ path, detail: `must be left out with ${name}` }))
      : []
  const beside = without(
    ["shipmentNumber", "status", "discrepancies", "carrier", "trailerNumber", "from", "to"],
    "lpn"
  )
  if (beside.length > 0) return beside
  if (order !== "ID") return [...without(["order"], "lpn"), ...without(["carrier"], "trailerNumber")]
  return needsTimeOrder(query)
    ? [{ path: "order", detail: "must not be ID with carrier, trailerNumber, from or to" }]
    : []
}

/**
 * A page of the shipments of a query within the scopes. Fails with `InvalidParameter` if the filters and the order cannot be combined, or if
 * `after` is not the `next` of a page.
 */
export const listShipments = (
  store: Pick<ShipmentStore["Service"], "listShipments" | "listShipmentsByTime">,
  scopes: ReadonlyArray<ReadScope>,
  query: ShipmentQuery
): Effect.Effect<Page<LocatedShipment>, ReadFailure | InvalidParameter> =>
  Effect.suspend((): ReturnType<typeof listShipments> => {
    const order = orderOf(query)
    const errors = faultsOf(query, order)
    if (errors.length > 0) return Effect.fail(new InvalidParameter({ errors }))
    const filter = {
      ...placeOf(query),
      shipmentNumber: filledOrUndefined(query.shipmentNumber),
      status: filledOrUndefined(query.status),
      discrepancies: query.discrepancies
    }
    if (order === "ID") {
      const page = idPage(query)
      return Result.isFailure(page)
        ? Effect.fail(page.failure)
        : store.listShipments(scopes, { ...filter, lpn: filledLpn(query.lpn) }, page.success)
    }
    const times = {
      ...filter,
      carrier: filledOrUndefined(query.carrier),
      trailerNumber: filledOrUndefined(query.trailerNumber),
      from: Timestamp.parse(query.from ?? ""),
      to: Timestamp.parse(query.to ?? "")
    }
    const after = positionOf(query.after ?? "")
    return Result.isFailure(after)
      ? Effect.fail(after.failure)
      : store.listShipmentsByTime(scopes, times, { order, limit: limitOf(query.limit), after: after.success })
  })
