/** How the suite of reads reads. */
import type { ReadScope } from "@dockline/core/access/Access"
import type { MovementStore } from "@dockline/core/movement/MovementStore"
import { ShipmentStore } from "@dockline/core/shipment/ShipmentStore"
import type { OrderFilter, ShipmentFilter } from "@dockline/core/shipment/ShipmentStore"
import type { PageRequest } from "@dockline/core/values/Page"
import { Effect } from "effect"
import type * as Suite from "../Suite.ts"
import type { IntakeStores } from "./IntakeWorld.ts"

/** The port that the suite is about, and those it needs. */
export type ReadingStores = IntakeStores | MovementStore

/** Adds a case of the suite. */
export type AddTest = Suite.AddTest<ReadingStores>

/** More than any case makes. */
const firstPage: PageRequest = { limit: 100, after: 0 }

/** Shipments within the scopes. */
export const listShipments = Effect.fnUntraced(function*(
  scopes: ReadonlyArray<ReadScope>,
  filter: Partial<ShipmentFilter> = {},
  page: PageRequest = firstPage
) {
  const store = yield* ShipmentStore
  const none = { business: undefined, facility: undefined, shipmentNumber: undefined, status: undefined }
  return yield* store.listShipments(scopes, { ...none, ...filter }, page)
})

/** Orders within the scopes. */
export const listOrders = Effect.fnUntraced(function*(
  scopes: ReadonlyArray<ReadScope>,
  filter: Partial<OrderFilter> = {},
  page: PageRequest = firstPage
) {
  const store = yield* ShipmentStore
  const none = { business: undefined, facility: undefined, orderNumber: undefined }
  return yield* store.listOrders(scopes, { ...none, ...filter }, page)
})
