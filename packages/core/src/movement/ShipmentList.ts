/**
 * Lists shipments: in the order of ids, or of their times (D5.1, D13.10), and with discrepancies only (D13.4).
 *
 * Guarantee: a page holds what lies within the scopes, and its `next` leads on in the order in which it was asked for.
 */
import { Effect, Result } from "effect"
import type { ReadScope } from "../access/Access.ts"
import { filled, placeOf } from "../places/ListQuery.ts"
import type { ListQuery } from "../places/ListQuery.ts"
import { hasDiscrepancies } from "../shipment/Discrepancies.ts"
import type { LocatedShipment } from "../shipment/Shipment.ts"
import type { ShipmentStore } from "../shipment/ShipmentStore.ts"
import type { ShipmentView } from "../shipment/View.ts"
import { InvalidParameter } from "../values/Errors.ts"
import type { StorageUnavailable } from "../values/Errors.ts"
import { cursorOf, idPage, limitOf, noCursor, positionOf } from "../values/Page.ts"
import type { Page, PageQuery } from "../values/Page.ts"
import * as Timestamp from "../values/Timestamp.ts"
import type { ShipmentOrder, ShipmentStatus } from "../values/Vocabulary.ts"

/** The filters, the order and the page of a list of shipments. */
export interface ShipmentQuery extends Omit<ListQuery, "after"> {
  readonly shipmentNumber?: string | undefined
  readonly status?: ShipmentStatus | "" | undefined
  /** With `true`, only shipments with discrepancies (D13.4); a page may then hold fewer than there are. */
  readonly discrepancies?: boolean | undefined
  readonly carrier?: string | undefined
  /** Shipments with this trailer; it goes without `carrier` (D13.10). */
  readonly trailerNumber?: string | undefined
  /** Shipments with an item of this LPN; it goes with a place alone (D13.10). */
  readonly lpn?: string | undefined
  /** RFC 3339: shipments whose time (D13.10) is then or later. */
  readonly from?: string | undefined
  /** RFC 3339: shipments whose time is earlier. */
  readonly to?: string | undefined
  /** `LATEST` when absent where `carrier`, `trailerNumber`, `from` or `to` is given, else `ID`. */
  readonly order?: ShipmentOrder | "" | undefined
  /** The `next` of the previous page; the first page when absent or `""`. */
  readonly after?: string | undefined
}

/** Reads the page after a cursor. */
type Read = (
  page: { readonly limit: number; readonly after: string }
) => Effect.Effect<Page<LocatedShipment>, StorageUnavailable | InvalidParameter>

/** The most pages that one page of {@link sifted} shipments is made of. */
const siftedPages = 10

/** The page of a list that a query asks for. */
export const listShipments = (
  store: Pick<ShipmentStore["Service"], "listShipments" | "listShipmentsByTime">,
  scopes: ReadonlyArray<ReadScope>,
  query: ShipmentQuery
): Effect.Effect<Page<LocatedShipment>, StorageUnavailable | InvalidParameter> =>
  Effect.suspend(() => {
    const page = { limit: limitOf(query.limit), after: query.after ?? "" }
    const read = reader(store, scopes, query)
    return query.discrepancies === true ? sifted(read, page) : read(page)
  })

/** The `after` of the page that follows a shipment in the list that a query asks for. */
export const cursorOfShipment = ({ id, ...shipment }: ShipmentView, query: ShipmentQuery): string =>
  orderOf(query) === "ID" ? String(id) : cursorOf({ at: timeOf(shipment), id })

/** The time of a shipment (D13.10), of what clients see of it. */
const timeOf = (
  { expectedArrivalAt, statusEvents }: Pick<ShipmentView, "expectedArrivalAt" | "statusEvents">
) =>
  statusEvents.findLast(({ completed, status }) => completed && status !== "SCHEDULED")?.completedAt ??
    expectedArrivalAt

const narrowsTime = ({ carrier, from, to, trailerNumber }: ShipmentQuery): boolean =>
  [carrier, trailerNumber, from, to].some((given) => filled(given) !== undefined)

const orderOf = (query: ShipmentQuery): ShipmentOrder =>
  filled(query.order) ?? (narrowsTime(query) ? "LATEST" : "ID")

/** What an index does not have in order: an LPN beside anything but a place, a trailer beside a carrier, times in id order. */
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
  return narrowsTime(query)
    ? [{ path: "order", detail: "must not be ID with carrier, trailerNumber, from or to" }]
    : []
}

const reader = (
  store: Pick<ShipmentStore["Service"], "listShipments" | "listShipmentsByTime">,
  scopes: ReadonlyArray<ReadScope>,
  query: ShipmentQuery
): Read => {
  const order = orderOf(query)
  const errors = faultsOf(query, order)
  if (errors.length > 0) return () => Effect.fail(new InvalidParameter({ errors }))
  const filter = {
    ...placeOf(query),
    shipmentNumber: filled(query.shipmentNumber),
    status: filled(query.status),
    discrepancies: query.discrepancies
  }
  if (order !== "ID") {
    const timed = {
      ...filter,
      carrier: filled(query.carrier),
      trailerNumber: filled(query.trailerNumber),
      from: Timestamp.parse(query.from ?? ""),
      to: Timestamp.parse(query.to ?? "")
    }
    return ({ after, limit }) => {
      const position = positionOf(after)
      return position === null
        ? Effect.fail(noCursor())
        : store.listShipmentsByTime(scopes, timed, { order, limit, after: position })
    }
  }
  return (page: PageQuery) => {
    const request = idPage(page)
    return Result.isFailure(request)
      ? Effect.fail(request.failure)
      : store.listShipments(scopes, { ...filter, lpn: filled(query.lpn) }, request.success)
  }
}

/** A page of the shipments with discrepancies: open ones are read to see whether they have any. */
const sifted = Effect.fnUntraced(function*(read: Read, { after, limit }: Parameters<Read>[0]) {
  const items: Array<LocatedShipment> = []
  let next: string | null = after
  for (let pages = 0; next !== null && items.length < limit && pages < siftedPages; pages++) {
    const wanted: number = limit - items.length
    const page: Page<LocatedShipment> = yield* read({ after: next, limit: wanted })
    items.push(...page.items.filter(({ shipment }) => hasDiscrepancies(shipment)))
    next = page.next
    // It ends before its limit: it holds as much as a page may.
    if (page.items.length < wanted) break
  }
  return { items, next }
})
