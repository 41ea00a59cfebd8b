/**
 * The operations on pallets, as values (D6.1, D13.2), with the reader of pallet events from towers and lift cameras, the errors of these
 * events, and the view of a pallet.
 */
import { Schema } from "effect"
import * as Operation from "../access/Operation.ts"
import * as RequestInput from "../input/RequestInput.ts"
import { placeErrors } from "../places/Authorize.ts"
import { placeFilters } from "../places/ListQuery.ts"
import { ordersOf, Verdict } from "../shipment/Verdict.ts"
import type { LocatedPallet } from "../shipment/Verdict.ts"
import { PlaceView } from "../shipment/View.ts"
import type { ErrorOf } from "../values/CatalogueError.ts"
import {
  EventIdReused,
  InvalidParameter,
  InvalidRequest,
  PalletNotFound,
  PalletNotMatched,
  ShipmentCancelled,
  ShipmentDeparted,
  ShipmentNotFound,
  StorageUnavailable,
  TooManyPalletEvents,
  UnknownDock
} from "../values/Errors.ts"
import type { Forbidden } from "../values/Errors.ts"
import * as Field from "../values/Field.ts"
import { shownText, shownTime, shownWhole } from "../values/Field.ts"
import * as Timestamp from "../values/Timestamp.ts"
import { palletDirections } from "../values/Vocabulary.ts"
import type { PalletDirection } from "../values/Vocabulary.ts"
import { PalletAnswer, readableLabels } from "./Pallet.ts"
import type { PalletEvent, RecordedEvent } from "./Pallet.ts"
import { palletUrl } from "./ShipmentMessage.ts"
import { shipmentId } from "./ShipmentOperations.ts"

const palletErrors = [
  ...placeErrors,
  InvalidRequest,
  UnknownDock,
  EventIdReused,
  ShipmentNotFound,
  PalletNotMatched,
  ShipmentDeparted,
  ShipmentCancelled,
  TooManyPalletEvents
] as const
/** An error of a pallet event (D6). */
export type PalletError = ErrorOf<typeof palletErrors>
/** The errors of a pallet event when its client has the permission and the storage is available. */
export type PalletRefusal = Exclude<PalletError, Forbidden | StorageUnavailable>

/** The most labels of one event. */
const maxLabels = 200

const optional = Schema.optionalKey

/** The schema of a pallet event's JSON form. */
export const schema = Schema.Struct({
  eventId: Field.requiredText(
    "Permanent id of the event within its facility: a repeat gets the answer of the first"
  ),
  business: Field.slug("Business slug"),
  facility: Field.slug("Facility slug"),
  dockSlug: Field.requiredText("Slug of the dock that the pallet crossed"),
  direction: Field.name<PalletDirection>(palletDirections, "Direction in which the pallet crossed the dock"),
  occurredAt: Field.requiredDateTime("When the pallet crossed the dock"),
  shipmentId: optional(Field.id("Id of the shipment, when the sender knows it")),
  shipmentNumber: optional(
    Field.text("Number of the shipment, when the sender knows it; excludes shipmentId")
  ),
  labels: Schema.Array(
    Schema.Struct({
      name: Field.requiredText("Name of the label, such as lpn"),
      value: Field.text("Value of the label; a label with an empty value counts as absent")
    }).annotate({ identifier: "Label", description: "One value read from a label of the pallet." })
  ).check(Field.atMost(maxLabels)).annotate({
    description:
      "Labels read from the pallet, in this order; a name may occur several times. All forms in which scanners send one SSCC are the same lpn; \
invisible characters of an lpn are left out, and the answer notes this"
  })
}).annotate({
  identifier: "PalletEvent",
  description: "A pallet seen at a dock, as a tower or lift camera reports it."
})

const readInput = RequestInput.reader(schema, "a pallet event", ({ shipmentId, shipmentNumber }, faults) => {
  if (shipmentId !== undefined && shipmentNumber !== undefined && shipmentNumber !== "") {
    faults.add("cannot be sent beside shipmentId; send one of the two", "shipmentNumber")
  }
})

/** Reads an untyped value into a pallet event. */
export const read: RequestInput.Reader<PalletEvent> = RequestInput.map(readInput, (input): PalletEvent => {
  const { occurredAt, shipmentId, shipmentNumber, ...fields } = input
  return {
    ...fields,
    ...readableLabels(fields.labels),
    // The schema has checked the time.
    occurredAt: Timestamp.parse(occurredAt)!,
    shipmentId: shipmentId ?? null,
    shipmentNumber: shipmentNumber ?? ""
  }
})

const LabelView = Schema.Struct({ name: shownText("Its name"), value: shownText("What was read") }).annotate({
  description: "A value that was read from a label of a pallet."
})

const PalletEventView = Schema.Struct({
  direction: Schema.Literals(palletDirections).annotate({
    description: "The direction in which it crossed the dock"
  }),
  occurredAt: shownTime("When"),
  dockSlug: shownText("Slug of the dock"),
  messageId: shownWhole("Id of the event's message, which may have expired"),
  verdict: Verdict
}).annotate({ description: "A pallet has crossed a dock." })

/** A pallet as clients see it. */
export const PalletView = Schema.Struct({
  id: shownText("Its id"),
  lpn: shownText("Its license plate, or empty"),
  state: Schema.Literals(["LOADED", "UNLOADED"]).annotate({ description: "What happened to it last" }),
  expected: Schema.Boolean.annotate({ description: "Whether an item of the shipment has its lpn" }),
  orders: Schema.Array(Schema.String).annotate({ description: "Numbers of the orders it belongs to" }),
  dockId: shownText("Id of the dock where it was seen last"),
  dockSlug: shownText("Slug of the dock where it was seen last"),
  firstSeenAt: shownTime("When its first event occurred"),
  lastSeenAt: shownTime("When its last event occurred"),
  url: shownText("Its page in the dashboard"),
  labels: Schema.Array(LabelView).annotate({ description: "The labels of its last event" }),
  events: Schema.Array(PalletEventView).annotate({ description: "Its events, in order of occurrence" }),
  business: PlaceView,
  facility: PlaceView,
  shipmentId: shownWhole("Id of its shipment"),
  shipmentNumber: shownText("Number of its shipment")
}).annotate({ identifier: "Pallet", description: "A pallet of a shipment that towers have seen." })

/** A pallet as clients see it. */
export type PalletView = typeof PalletView.Type

/** Shows a pallet; `dashboardUrl` has no slash at the end. */
export const palletView = (pallet: LocatedPallet, dashboardUrl: string): PalletView => {
  const { events, id, location, lpn, ordersWithLpn, shipmentId, shipmentNumber } = pallet
  const [first, last] = [events[0]!, events.at(-1)!]
  return {
    id: String(id),
    lpn,
    state: last.direction === "LOADING" ? "LOADED" : "UNLOADED",
    expected: ordersWithLpn.length > 0,
    orders: ordersOf(pallet),
    dockId: String(last.dock.id),
    dockSlug: last.dock.slug,
    firstSeenAt: first.occurredAt,
    lastSeenAt: last.occurredAt,
    url: palletUrl(dashboardUrl, shipmentId, id),
    labels: last.labels.map(({ name, value }) => ({ name, value })),
    events: events.map(({ direction, dock, messageId, occurredAt, verdict }) => ({
      direction,
      occurredAt,
      dockSlug: dock.slug,
      messageId,
      verdict
    })),
    ...location,
    shipmentId,
    shipmentNumber
  }
}

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

/** Lists the pallets of a shipment. */
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

/** Reads a pallet. */
export const getPallet = Operation.read("getPallet", {
  rest: "GET /v1/shipments/:id/pallets/:palletId",
  params: { ...shipmentId, palletId: Operation.id("The pallet's id") },
  view: PalletView,
  entity: "A pallet of a shipment.",
  errors: [ShipmentNotFound, PalletNotFound, StorageUnavailable],
  summary: "Read a pallet",
  description: "One pallet of a shipment, with its labels and the events at which it was seen."
})

/** Lists pallets by their LPN. */
export const listPallets = Operation.list("listPallets", {
  rest: "GET /v1/pallets",
  params: {},
  filters: {
    ...placeFilters,
    lpn: Field.requiredText("The license plate of the pallets. An SSCC may have any form that scanners send.")
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

/** Records a pallet event (D6.1). */
export const recordPalletEvent = Operation.write("recordPalletEvent", {
  rest: "POST /v1/pallet-events",
  params: {},
  body: schema,
  read: read,
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
