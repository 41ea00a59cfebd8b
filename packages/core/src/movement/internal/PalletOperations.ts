/**
 * The operations on pallets, as values (D6.1, D13.2).
 */
import * as Operation from "../../access/Operation.ts"
import { placeErrors } from "../../places/Authorize.ts"
import { placeFilters } from "../../places/ListQuery.ts"
import {
  InvalidParameter,
  PalletNotFound,
  ShipmentNotFound,
  StorageUnavailable
} from "../../values/Errors.ts"
import * as Field from "../../values/Field.ts"
import { palletErrors } from "../MovementErrors.ts"
import { PalletAnswer } from "../Pallet.ts"
import type { RecordedEvent } from "../Pallet.ts"
import * as PalletEventInput from "../PalletEventInput.ts"
import { PalletView } from "../PalletView.ts"
import { shipmentId } from "../ShipmentOperations.ts"

const columns: Operation.Table<PalletView> = [
  ...Operation.columns(
    "id",
    "lpn",
    "state",
    "expected",
    "orders",
    "dockSlug",
    "firstSeenAt",
    "lastSeenAt"
  ),
  ["events", ({ events }) => events.length],
  ...Operation.columns("business", "facility", "shipmentId", "shipmentNumber", "url")
]

export const listShipmentPallets = Operation.list("listShipmentPallets", {
  rest: "GET /v1/shipments/:id/pallets",
  params: shipmentId,
  filters: {},
  cursor: "id",
  row: PalletView,
  page: "PalletPage",
  holds: ["pallets", "id order on a shipment, newest first otherwise"],
  columns,
  errors: [ShipmentNotFound, StorageUnavailable],
  summary: "List the pallets of a shipment",
  description: "Its pallets with their events, in id order."
})

export const getPallet = Operation.read("getPallet", {
  rest: "GET /v1/shipments/:id/pallets/:palletId",
  params: { ...shipmentId, palletId: Operation.id("The pallet's id") },
  view: PalletView,
  entity: "A pallet of a shipment.",
  errors: [ShipmentNotFound, PalletNotFound, StorageUnavailable],
  summary: "Read a pallet",
  description: "One pallet of a shipment, with its labels and the events at which it was seen."
})

export const listPallets = Operation.list("listPallets", {
  rest: "GET /v1/pallets",
  params: {},
  filters: {
    ...placeFilters,
    lpn: Field.requiredText("The license plate of the pallets; of an SSCC any form that scanners send.")
  },
  cursor: "position",
  row: PalletView,
  page: "PalletPage",
  holds: ["pallets", "id order on a shipment, newest first otherwise"],
  columns,
  errors: [InvalidParameter, ...placeErrors],
  summary: "Find pallets",
  description: "The pallets with an LPN on all shipments that the client may see, newest first."
})

export const recordPalletEvent = Operation.write("recordPalletEvent", {
  rest: "POST /v1/pallet-events",
  params: {},
  body: PalletEventInput.schema,
  read: PalletEventInput.read,
  isBodyOptional: false,
  view: PalletAnswer,
  show: ({ answer }: RecordedEvent) => answer,
  creates: ({ repeated }) => !repeated,
  errors: palletErrors,
  may: ["pallets:write"],
  placeOf: Operation.givenPlace,
  summary: "Record a pallet event",
  description:
    "A tower or lift camera has seen a pallet cross a dock. The event is matched to a shipment, and the customer gets a \
pallet message. An event that the facility has recorded before gets the same answer, and no second message."
})
