import { Effect, Layer, Result } from "effect"
import { isInScope } from "../access/Access.ts"
import type { ReadScope } from "../access/Access.ts"
import { IntakeStore } from "../document/IntakeStore.ts"
import { noIds } from "../document/Plan.ts"
import { labelTextOfItem, ShipmentStore } from "../shipment/ShipmentStore.ts"
import type { PalletFilter } from "../shipment/ShipmentStore.ts"
import { cutPage } from "../values/Page.ts"
import type { Page, PageRequest } from "../values/Page.ts"
import * as Timestamp from "../values/Timestamp.ts"
import { MemoryDatabase } from "./MemoryDatabase.ts"

/** Intake in memory. Each transaction runs in one step of the event loop, so transactions do not overlap. */
export const intakeStore: Layer.Layer<IntakeStore, never, MemoryDatabase> = Layer.effect(
  IntakeStore,
  Effect.map(MemoryDatabase, (database) =>
    IntakeStore.of({
      transact: (document, decide, { dryRun }) =>
        Effect.flatMap(Timestamp.now, (now) =>
          Effect.suspend(() => {
            const snapshot = database.snapshot(document, now)
            return Effect.fromResult(
              Result.map(decide(snapshot), (plan) => ({
                snapshot,
                plan,
                ids: dryRun ? noIds(plan) : database.apply(document, snapshot, plan)
              }))
            )
          }))
    }))
)

export const shipmentStore: Layer.Layer<ShipmentStore, never, MemoryDatabase> = Layer.effect(
  ShipmentStore,
  Effect.map(MemoryDatabase, (database) => {
    const within = (scopes: ReadonlyArray<ReadScope>, filter: Pick<PalletFilter, "business" | "facility">) =>
      database.locatedShipments().filter(({ location: { business, facility } }) =>
        (filter.business ?? business.slug) === business.slug &&
        (filter.facility ?? facility.slug) === facility.slug &&
        scopes.some((scope) => isInScope(scope, business.slug, facility.slug))
      )
    return ShipmentStore.of({
      find: (id) => Effect.sync(() => database.locatedShipment(id)),
      listShipments: (scopes, filter, page) =>
        Effect.sync(() =>
          pageOf(
            within(scopes, filter).filter(({ shipment }) =>
              (filter.shipmentNumber ?? shipment.number) === shipment.number &&
              (filter.status ?? shipment.status) === shipment.status
            ),
            page,
            ({ shipment }) => shipment.id,
            ({ shipment }) =>
              shipment.orders.reduce((sum, order) => sum + order.items.length, shipment.pallets.length)
          )
        ),
      listOrders: (scopes, filter, page) =>
        Effect.sync(() =>
          pageOf(
            within(scopes, filter)
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
        ),
      palletsOf: (shipmentId, page) =>
        Effect.sync(() => {
          const found = database.locatedShipment(shipmentId)
          if (found === null) return null
          const pallets = database.palletsOf(found)
          return { location: found.location, page: pageOf(pallets, page, ({ id }) => id, () => 0) }
        }),
      track: (shipmentId) =>
        Effect.sync(() => {
          const found = database.locatedShipment(shipmentId)
          return found === null ? null : { location: found.location, tracking: database.track(found) }
        }),
      listPallets: (scopes, filter, { after, limit }) =>
        Effect.sync(() => {
          const rest = within(scopes, filter)
            .flatMap((found) => database.palletsOf(found))
            .filter(({ id, lpn }) => lpn === filter.lpn && lpn !== "" && (after === 0 || id < after))
            .sort((left, right) => right.id - left.id)
          return cutPage(rest, limit, ({ id, shipmentId }) => {
            const { events, labelText } = database.pallets.of(shipmentId)
            return { id: String(id), items: events.length + Math.floor(labelText / labelTextOfItem) }
          })
        })
    })
  })
)

const pageOf = <A>(
  matching: ReadonlyArray<A>,
  { after, limit }: PageRequest,
  idOf: (entry: A) => number,
  itemsOf: (entry: A) => number
): Page<A> => {
  const rest = matching.filter((entry) => idOf(entry) > after).sort((left, right) => idOf(left) - idOf(right))
  return cutPage(rest, limit, (entry) => ({ id: String(idOf(entry)), items: itemsOf(entry) }))
}
