/**
 * Reads of shipments and orders, in memory.
 */
import { Effect, Layer } from "effect"
import { isInScope } from "../access/Access.ts"
import type { ReadScope } from "../access/Access.ts"
import type { LocatedShipment } from "../shipment/Shipment.ts"
import { ShipmentStore } from "../shipment/ShipmentStore.ts"
import type { OrderFilter, ShipmentFilter } from "../shipment/ShipmentStore.ts"
import { cutPage } from "../values/Page.ts"
import type { Page, PageRequest } from "../values/Page.ts"
import { MemoryDatabase } from "./MemoryDatabase.ts"

/** Reads from memory. */
export const layer: Layer.Layer<ShipmentStore, never, MemoryDatabase> = Layer.effect(
  ShipmentStore,
  Effect.map(MemoryDatabase, (database) => {
    const inScope = (scopes: ReadonlyArray<ReadScope>, filter: ShipmentFilter | OrderFilter) =>
    (
      entry: LocatedShipment
    ) => {
      const business = entry.location.business.slug
      const facility = entry.location.facility.slug
      return (filter.business ?? business) === business &&
        (filter.facility ?? facility) === facility &&
        scopes.some((scope) => isInScope(scope, business, facility))
    }
    return ShipmentStore.of({
      find: (id) => Effect.sync(() => database.locatedShipment(id)),
      listShipments: (scopes, filter, page) =>
        Effect.sync(() =>
          pageOf(
            database.locatedShipments()
              .filter(inScope(scopes, filter))
              .filter(({ shipment }) =>
                (filter.shipmentNumber ?? shipment.number) === shipment.number &&
                (filter.status ?? shipment.status) === shipment.status
              ),
            page,
            ({ shipment }) => shipment.id,
            ({ shipment }) => shipment.orders.reduce((sum, order) => sum + order.items.length, 0)
          )
        ),
      listOrders: (scopes, filter, page) =>
        Effect.sync(() =>
          pageOf(
            database.locatedShipments()
              .filter(inScope(scopes, filter))
              .flatMap(({ location, shipment }) =>
                shipment.orders.map((order) => ({
                  location,
                  shipmentId: shipment.id,
                  shipmentNumber: shipment.number,
                  order
                }))
              )
              .filter(({ order }) => (filter.orderNumber ?? order.number) === order.number),
            page,
            ({ order }) => Number(order.id),
            ({ order }) => order.items.length
          )
        )
    })
  })
)

/** Cuts a page out of everything that matches. */
const pageOf = <A>(
  matching: ReadonlyArray<A>,
  request: PageRequest,
  idOf: (entry: A) => number,
  itemsOf: (entry: A) => number
): Page<A> => {
  const rest = matching
    .filter((entry) => idOf(entry) > request.after)
    .sort((left, right) => idOf(left) - idOf(right))
  return cutPage(rest, request.limit, (entry) => ({ id: String(idOf(entry)), items: itemsOf(entry) }))
}
