/**
 * The reads of shipments and orders (D5.1): only what the client may see, whatever it asks for.
 */
import { canRead, readScopes } from "@dockline/core/Access"
import type { Principal } from "@dockline/core/Access"
import { Directory } from "@dockline/core/Directory"
import { BusinessNotFound, FacilityNotFound, Forbidden, ShipmentNotFound } from "@dockline/core/Errors"
import { ShipmentStore } from "@dockline/core/ShipmentStore"
import type { LocatedOrder, Page } from "@dockline/core/ShipmentStore"
import { orderView, shipmentView } from "@dockline/core/View"
import type { LocatedOrderView } from "@dockline/core/View"
import type { ShipmentStatus } from "@dockline/core/Vocabulary"
import { Effect } from "effect"
import { clip } from "./MalformedBody.ts"

/** What narrows a list. */
export interface ListQuery {
  readonly business?: string
  readonly facility?: string
  readonly limit?: number
  readonly after?: number
}

const defaultLimit = 100

const pageRequest = ({ limit, after }: ListQuery) => ({ limit: limit ?? defaultLimit, after: after ?? 0 })

/** A filter that is empty, as forms send what is not filled in, filters nothing. */
const filled = <A extends string>(filter: A | undefined): Exclude<A, ""> | undefined =>
  filter === "" ? undefined : filter as Exclude<A, "">

const placeOf = ({ business, facility }: ListQuery) => ({
  business: filled(business),
  facility: filled(facility)
})

type Place = ReturnType<typeof placeOf>

const isId = (text: string): boolean => /^[1-9]\d{0,15}$/.test(text) && Number.isSafeInteger(Number(text))

const locatedOrderView = (
  { location, shipmentId, shipmentNumber, order }: LocatedOrder
): LocatedOrderView => ({
  ...orderView(order),
  ...location,
  shipmentId,
  shipmentNumber
})

const mapPage = <A, B>({ items, next }: Page<A>, f: (item: A) => B): Page<B> => ({
  items: items.map(f),
  next
})

/** Makes the reads. */
export const make = Effect.gen(function*() {
  const store = yield* ShipmentStore
  const directory = yield* Directory

  /** A list of a named place is 404 when there is none, 403 when the client may see nothing there. */
  const checkPlace = Effect.fnUntraced(function*(principal: Principal, { business, facility }: Place) {
    if (business === undefined) return
    const named = yield* directory.lookup(business, facility ?? "")
    if (named.business === null) return yield* new BusinessNotFound({ business })
    if (facility === undefined) {
      if (readScopes(principal).some((scope) => scope.business === business)) return
      return yield* new Forbidden({ permission: "read", business, facility: "*" })
    }
    if (named.facility === null) return yield* new FacilityNotFound({ business, facility })
    if (!canRead(principal, business, facility)) {
      return yield* new Forbidden({ permission: "read", business, facility })
    }
  })

  return {
    /** The shipment of that id; one that the client may not see is not there. */
    getShipment: Effect.fn("Reads.getShipment")(function*(principal: Principal, id: string) {
      const found = isId(id) ? yield* store.find(Number(id)) : null
      if (found === null || !canRead(principal, found.location.business.slug, found.location.facility.slug)) {
        return yield* new ShipmentNotFound({ id: clip(id) })
      }
      return shipmentView(found.shipment, found.location)
    }),

    /** The shipments that the client may see. */
    listShipments: Effect.fn("Reads.listShipments")(function*(
      principal: Principal,
      query: ListQuery & { readonly shipmentNumber?: string; readonly status?: ShipmentStatus | "" }
    ) {
      const place = placeOf(query)
      yield* checkPlace(principal, place)
      const page = yield* store.listShipments(
        readScopes(principal),
        { ...place, shipmentNumber: filled(query.shipmentNumber), status: filled(query.status) },
        pageRequest(query)
      )
      return mapPage(page, ({ shipment, location }) => shipmentView(shipment, location))
    }),

    /** The orders that the client may see. */
    listOrders: Effect.fn("Reads.listOrders")(function*(
      principal: Principal,
      query: ListQuery & { readonly orderNumber?: string }
    ) {
      const place = placeOf(query)
      yield* checkPlace(principal, place)
      const page = yield* store.listOrders(
        readScopes(principal),
        { ...place, orderNumber: filled(query.orderNumber) },
        pageRequest(query)
      )
      return mapPage(page, locatedOrderView)
    })
  }
})
