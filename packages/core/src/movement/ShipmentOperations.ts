/**
 * The operations on shipments, their steps, their orders and docks, as values (D5.1, D6.5, D13.4, D13.9, D13.10, D13.12, D13.15, D17.3),
 * with the readers of the bodies of steps, and the errors of steps and links. A `…Refusal` comes from a decision; a `…Error`
 * may also come from the storage.
 */
import { Schema, Struct } from "effect"
import * as Operation from "../access/Operation.ts"
import * as RequestInput from "../input/RequestInput.ts"
import { placeErrors } from "../places/Authorize.ts"
import { placeFilters } from "../places/ListQuery.ts"
import type { CheckInNote } from "../shipment/CheckIn.ts"
import { Discrepancy, Progress } from "../shipment/Discrepancies.ts"
import { DockBoard } from "../shipment/DockBoard.ts"
import { orderFieldNames, orderItemFieldNames, shipmentFieldNames } from "../shipment/Shipment.ts"
import { LocatedOrderView, ShipmentItemView, ShipmentView } from "../shipment/View.ts"
import type { ErrorOf } from "../values/CatalogueError.ts"
import { InvalidParameter, ShipmentNotFound, StorageUnavailable } from "../values/Errors.ts"
import * as Errors from "../values/Errors.ts"
import * as Field from "../values/Field.ts"
import { Overloaded } from "../values/RequestErrors.ts"
import * as Timestamp from "../values/Timestamp.ts"
import { checkInSteps, shipmentOrders, shipmentStatuses } from "../values/Vocabulary.ts"
import type { CheckInStep } from "../values/Vocabulary.ts"

const commonErrors = [Errors.ShipmentNotFound, Errors.Forbidden, Errors.InvalidTransition] as const

const stepErrors = [
  ...commonErrors,
  Errors.InvalidRequest,
  Errors.UnknownDock,
  Overloaded,
  Errors.StorageUnavailable
] as const
/** An error of a step of a shipment: arrival, departure, check-in, cancellation (D6.5, D13.9, D17.3). */
export type StepError = ErrorOf<typeof stepErrors>
/** The errors of a step when the storage is available. */
export type StepRefusal = Exclude<StepError, Errors.StorageUnavailable>

const linkErrors = [
  Errors.ShipmentNotFound,
  Errors.Forbidden,
  Errors.InvalidRequest,
  Errors.ShipmentDeparted,
  Errors.ShipmentCancelled,
  Errors.TooManyLinks,
  Overloaded,
  Errors.StorageUnavailable
] as const
/** An error of a link of two shipments (D6.5). */
export type LinkError = ErrorOf<typeof linkErrors>
/** The errors of a link when the storage is available. */
export type LinkRefusal = Exclude<LinkError, Errors.StorageUnavailable>

/** The time of a departure; now by default. */
export interface DepartureInput {
  readonly occurredAt?: Timestamp.Timestamp | undefined
}

/** The time of an arrival, now by default, and its dock, by default the expected dock. */
export interface ArrivalInput extends DepartureInput {
  readonly dockSlug?: string | undefined
}

/** A step of a check-in. `dockSlug` is the dock that the step assigns, by default the shipment's dock. */
export interface CheckInInput extends CheckInNote {
  readonly dockSlug?: string | undefined
}

const optional = Schema.optionalKey

/** The schema of an arrival's JSON form. */
const arriveSchema = Schema.Struct({
  occurredAt: optional(Field.dateTime("When the shipment arrived; now when absent")),
  dockSlug: optional(Field.text("Slug of the dock at which it arrived; the expected dock when absent"))
}).annotate({ identifier: "ArriveShipment", description: "The arrival of a shipment." })

/** The schema of a departure's JSON form. */
const departSchema = Schema.Struct({
  occurredAt: optional(Field.dateTime("When the shipment departed; now when absent"))
}).annotate({ identifier: "DepartShipment", description: "The departure of a shipment." })

/** The schema of the JSON form of a step of a check-in. */
const checkInSchema = Schema.Struct({
  step: Field.name<CheckInStep>(checkInSteps, "The step of the check-in"),
  occurredAt: optional(Field.dateTime("The time of the step; now when absent")),
  dockSlug: optional(
    Field.text("With DOOR_ASSIGNED, the slug of the dock; the shipment's dock when absent")
  )
}).annotate({ identifier: "CheckInShipment", description: "A step of the check-in of a shipment." })

/** The schema of a cancellation's JSON form, which has no fields. */
const cancelSchema = Schema.Struct({}).annotate({
  identifier: "CancelShipment",
  description: "The cancellation of a shipment."
})

/** The schema of a link's JSON form. */
const linkSchema = Schema.Struct({
  linkedShipmentId: Field.id("Id of the other shipment; the link holds for both")
}).annotate({ identifier: "LinkShipments", description: "Two shipments that belong together." })

/** Reads an untyped value into an arrival; a missing body (`undefined`) is valid too. */
export const readArrive: RequestInput.Reader<ArrivalInput> = RequestInput.map(
  RequestInput.reader(arriveSchema, "an arrival"),
  ({ occurredAt, dockSlug }) => ({ occurredAt: Timestamp.parse(occurredAt ?? ""), dockSlug }),
  {}
)

/** Reads an untyped value into a departure; a missing body (`undefined`) is valid too. */
export const readDepart: RequestInput.Reader<DepartureInput> = RequestInput.map(
  RequestInput.reader(departSchema, "a departure"),
  ({ occurredAt }) => ({ occurredAt: Timestamp.parse(occurredAt ?? "") }),
  {}
)

/** Reads an untyped value into a step of a check-in. */
export const readCheckIn: RequestInput.Reader<CheckInInput> = RequestInput.map(
  RequestInput.reader(checkInSchema, "a step of a check-in", ({ dockSlug = "", step }, faults) => {
    if (dockSlug !== "" && step !== "DOOR_ASSIGNED") {
      faults.add("goes with the step DOOR_ASSIGNED", "dockSlug")
    }
    if (step === undefined) faults.add("is required", "step")
  }),
  ({ dockSlug, occurredAt, step }) => ({ step, occurredAt: Timestamp.parse(occurredAt ?? ""), dockSlug })
)

/** Reads an untyped value into a cancellation; a missing body (`undefined`) is valid too. */
const readCancel: RequestInput.Reader<object> = RequestInput.map(
  RequestInput.reader(cancelSchema, "a cancellation"),
  () => ({}),
  {}
)

/** Reads an untyped value into a link, with the id as text for `Shipments.link`. */
export const readLink: RequestInput.Reader<{ readonly linkedShipmentId: string }> = RequestInput.map(
  RequestInput.reader(linkSchema, "a link"),
  ({ linkedShipmentId }) => ({ linkedShipmentId: String(linkedShipmentId) })
)

/** The parameter of a path that names a shipment. */
export const shipmentId = { id: Operation.id("The shipment's id") }

/** Whether a field of an item can be a cell of a table: all fields except lists can. */
const isCell = <Name extends string>(name: Name): name is Exclude<Name, "caseSerials"> =>
  name !== "caseSerials"

/** Reads a shipment (D5.1). */
export const getShipment = Operation.read("getShipment", {
  rest: "GET /v1/shipments/:id",
  params: shipmentId,
  view: ShipmentView,
  entity: "The shipment with this id. A shipment that the client may not see counts as missing.",
  versionOf: ({ version }) => version,
  errors: [ShipmentNotFound, Overloaded, StorageUnavailable],
  summary: "Read a shipment",
  description: "The shipment as it is now, with its orders, their items and its progress."
})

const completedAt = (statusName: string) => ({ statusEvents }: ShipmentView): string =>
  statusEvents.find(({ status }) => status === statusName)?.completedAt ?? ""

const progressOf = (name: keyof Progress) => ({ progress }: ShipmentView): number => progress[name]

/** Lists shipments in the order of ids, or of one of their times (D5.1, D13.10). */
export const listShipments = Operation.list("listShipments", {
  rest: "GET /v1/shipments",
  params: {},
  filters: {
    ...placeFilters,
    shipmentNumber: optional(Field.text("Only the shipment of this number.")),
    status: optional(Operation.word("ShipmentStatus", shipmentStatuses, "Only shipments of this status.")),
    discrepancies: optional(Field.flag("With true, only shipments with discrepancies.")),
    carrier: optional(Field.text("Only shipments of this carrier.")),
    trailerNumber: optional(Field.text("Only shipments with this trailer; not together with carrier.")),
    lpn: optional(
      Field.text("Only shipments with an item of this LPN; only together with business and facility.")
    ),
    from: optional(Field.dateTime("Only shipments whose time is this time or later.")),
    to: optional(Field.dateTime("Only shipments whose time is before this time.")),
    order: optional(
      Operation.word(
        "ShipmentOrder",
        shipmentOrders,
        "By id, or by time, earliest or latest first. When absent, LATEST with carrier, trailerNumber, from or to, and otherwise ID."
      )
    )
  },
  cursor: "position",
  row: ShipmentView,
  page: "ShipmentPage",
  holds: ["shipments", "the requested order"],
  columns: [
    ...Operation.columns(
      "id",
      "shipmentNumber",
      "status",
      "direction",
      "business",
      "facility",
      "expectedArrivalAt",
      "scheduledAt"
    ),
    ["arrivedAt", completedAt("ARRIVED")],
    ["departedAt", completedAt("DEPARTED")],
    ...Operation.columns("dockSlug", ...shipmentFieldNames),
    ...Struct.keys(Progress.fields).map((name) => [name, progressOf(name)] as const),
    ["orders", ({ orders }) => orders.map(({ orderNumber }) => orderNumber)],
    ["atFacilityAt", completedAt("AT_FACILITY")],
    ["doorAssignedAt", completedAt("DOOR_ASSIGNED")],
    ["checkedOutAt", completedAt("CHECKED_OUT")]
  ],
  errors: [InvalidParameter, ...placeErrors, Overloaded],
  summary: "List shipments",
  description:
    "The shipments that the client may see, by default in id order. The time of a shipment is when it \
departed, else when it arrived, else when it is expected."
})

/** Lists orders, each with its shipment (D5.1). */
export const listOrders = Operation.list("listOrders", {
  rest: "GET /v1/orders",
  params: {},
  filters: { ...placeFilters, orderNumber: optional(Field.text("Only orders of this number.")) },
  cursor: "id",
  row: LocatedOrderView,
  page: "OrderPage",
  holds: ["orders"],
  columns: [
    ...Operation.columns(
      "id",
      "orderNumber",
      "status",
      "direction",
      "business",
      "facility",
      "shipmentId",
      "shipmentNumber",
      ...orderFieldNames
    ),
    ["items", ({ items }) => items.length]
  ],
  errors: [...placeErrors, Overloaded],
  summary: "List orders",
  description: "The orders that the client may see, in id order."
})

/** Lists the items of a shipment with their orders (D13.12). */
export const listItems = Operation.list("listItems", {
  rest: "GET /v1/shipments/:id/items",
  params: shipmentId,
  filters: {
    orderId: optional(Field.text("Only items of the order of this id.")),
    find: optional(
      Field.text(
        "Only items whose LPN, SKU, description, lot or purchase order holds this text, in any case."
      )
    ),
    unseen: optional(Field.flag("With true, only items with an LPN that was not seen on the shipment."))
  },
  cursor: "id",
  row: ShipmentItemView,
  page: "ItemPage",
  holds: ["items"],
  columns: [
    ...Operation.columns("id", "orderId", "orderNumber", ...orderItemFieldNames.filter(isCell)),
    ["caseSerials", ({ caseSerials }) => caseSerials.map(({ id }) => id)]
  ],
  errors: [ShipmentNotFound, StorageUnavailable],
  summary: "List the items of a shipment",
  description: "The items of all its orders, in id order."
})

/** Lists the discrepancies of a shipment (D13.4). */
export const listDiscrepancies = Operation.list("listDiscrepancies", {
  rest: "GET /v1/shipments/:id/discrepancies",
  params: shipmentId,
  filters: {
    seen: optional(
      Field.flag("With true, only discrepancies of pallets that were seen, which leaves out missing pallets.")
    )
  },
  cursor: "count",
  row: Discrepancy,
  page: "DiscrepancyPage",
  holds: ["discrepancies", "the order of items and pallets"],
  columns: Operation.columns(...Struct.keys(Discrepancy.fields)),
  errors: [ShipmentNotFound, StorageUnavailable],
  summary: "List the discrepancies of a shipment",
  description:
    "The differences between what was expected and what has passed: first missing pallets, then the discrepancies of each pallet that was seen. Until \
the shipment departs they are provisional; from then on they do not change."
})

const step = {
  params: shipmentId,
  view: ShipmentView,
  creates: false,
  isRepeatable: true,
  placeOf: Operation.ownPlace
} as const

/** Makes a SCHEDULED shipment ARRIVED (D6.5). */
export const arriveShipment = Operation.write("arriveShipment", {
  ...step,
  rest: "POST /v1/shipments/:id/arrive",
  body: arriveSchema,
  read: readArrive,
  isBodyOptional: true,
  errors: stepErrors,
  may: ["shipments:write"],
  isAdditive: true,
  summary: "Report the arrival of a shipment",
  description:
    "The shipment is ARRIVED, at the dock of the request if it names one. Repeating it changes nothing."
})

/** Makes a shipment DEPARTED, which is final and completes its orders (D6.5, D6.6). */
export const departShipment = Operation.write("departShipment", {
  ...step,
  rest: "POST /v1/shipments/:id/depart",
  body: departSchema,
  read: readDepart,
  isBodyOptional: true,
  errors: stepErrors,
  may: ["shipments:write"],
  summary: "Report the departure of a shipment",
  description: "The shipment is DEPARTED and final, its orders are COMPLETED, and the customer gets the \
shipment-completion message, once. Repeating it changes nothing."
})

/** Records a step of the check-in, which does not change the status (D17.3). */
export const checkInShipment = Operation.write("checkInShipment", {
  ...step,
  rest: "POST /v1/shipments/:id/check-in",
  body: checkInSchema,
  read: readCheckIn,
  isBodyOptional: false,
  errors: stepErrors,
  may: ["shipments:write", "documents:write"],
  isAdditive: true,
  summary: "Check in a shipment",
  description:
    "Notes that the truck is AT_FACILITY, that its door is assigned, or that it has CHECKED_OUT, in this order; steps may be left \
out. The status of the shipment stays. DOOR_ASSIGNED sets its dock, and may later change it. The permission documents:write \
suffices. Repeating a step changes nothing."
})

/** Links two shipments, so that no order moves away from either (D6.5). */
export const linkShipments = Operation.write("linkShipments", {
  ...step,
  rest: "POST /v1/shipments/:id/link",
  body: linkSchema,
  read: readLink,
  isBodyOptional: false,
  errors: linkErrors,
  may: ["shipments:write"],
  isAdditive: true,
  summary: "Link two shipments",
  description:
    "The two shipments belong together: no order moves away from either. Repeating it changes nothing."
})

/** Makes a SCHEDULED shipment CANCELLED, which is final (D13.9). */
export const cancelShipment = Operation.write("cancelShipment", {
  ...step,
  rest: "POST /v1/shipments/:id/cancel",
  body: cancelSchema,
  read: readCancel,
  isBodyOptional: true,
  errors: stepErrors,
  may: ["shipments:write", "documents:write"],
  summary: "Cancel a shipment",
  description:
    "A SCHEDULED shipment without links, such as one whose orders have all moved to another, is CANCELLED and \
final, and its orders too. The permission documents:write suffices. Repeating it changes nothing."
})

/** Reads the dock board of a facility (D13.15). */
export const dockBoard = Operation.read("dockBoard", {
  rest: "GET /v1/dock-boards/:business/:facility",
  params: {
    business: Operation.id("Slug of the business"),
    facility: Operation.id("Slug of the facility")
  },
  view: DockBoard,
  entity: "The dock board of a facility.",
  errors: placeErrors,
  summary: "Read the docks of a facility",
  description:
    "Each dock with the shipments that are there, their progress and the pallet that was seen last; what is expected next, and what departed today, by the \
clocks of the facility. Shipments come without orders and items."
})
