/**
 * The shipment: one visit of a truck or container at a facility, permanently identified by business, facility and number. It has orders,
 * which customers identify by `orderNumber`; each order is on exactly one shipment at a time. It also has the pallets that towers have
 * seen: the first and the last event of a pallet determine where it is now (D6.6, D13.1).
 *
 * Absent text is `""`, here and in storage; `View.ts` decides which empty defaults an answer shows.
 */
import type { Location } from "../places/Place.ts"
import * as FieldTable from "../values/FieldTable.ts"
import type { DockId, OrderId, PalletId, ShipmentId } from "../values/Id.ts"
import type { Timestamp } from "../values/Timestamp.ts"
import type {
  CheckInStep,
  OrderStatus,
  PalletDirection,
  ShipmentMilestone,
  ShipmentStatus
} from "../values/Vocabulary.ts"
import type { OrderItem } from "./OrderItem.ts"

/** A pallet of a shipment after its events. First and last are in the order of occurrence. */
export interface SeenPallet {
  readonly id: PalletId
  /** `""` for a pallet without an LPN label. */
  readonly lpn: string
  /** The direction of its first event. */
  readonly first: PalletDirection
  /** The direction of its last event. */
  readonly last: PalletDirection
  /** The id of the dock of its last event. */
  readonly dockId: DockId
}

/** The first and the last sighting of a pallet, in the order of occurrence. */
export interface Sightings extends Pick<SeenPallet, "first" | "last" | "dockId"> {
  readonly firstSeenAt: Timestamp
  readonly lastSeenAt: Timestamp
}

/** The sightings of a pallet after a further event. Events of one instant count in the order of recording. */
export const sightAgain = (
  before: Sightings | null,
  direction: PalletDirection,
  occurredAt: Timestamp,
  dockId: DockId
): Sightings => ({
  ...(before === null || occurredAt < before.firstSeenAt
    ? { first: direction, firstSeenAt: occurredAt }
    : { first: before.first, firstSeenAt: before.firstSeenAt }),
  ...(before === null || occurredAt >= before.lastSeenAt
    ? { last: direction, lastSeenAt: occurredAt, dockId }
    : { last: before.last, lastSeenAt: before.lastSeenAt, dockId: before.dockId })
})

/**
 * Whether loading and unloading leave the pallet on the side of its last event (D6.6). Without repeats the directions alternate and cancel
 * in pairs, so one event remains if and only if the first and the last have the same direction.
 */
export const remains = ({ first, last }: Pick<SeenPallet, "first" | "last">): boolean => first === last

/** For each direction of shipments, the direction of the events that move pallets to their destination: off the truck or onto it. */
export const ends: Readonly<Record<string, PalletDirection>> = { INBOUND: "UNLOADING", OUTBOUND: "LOADING" }

/**
 * Whether the pallet remains on the side of the dock that is the destination of a shipment of the direction (D13.1). For a direction that a
 * service adds, either side counts.
 */
export const hasPassed = (direction: string, pallet: Pick<SeenPallet, "first" | "last">): boolean =>
  remains(pallet) && (ends[direction] ?? pallet.last) === pallet.last

/** The fields of an order. A new field needs a row at the end and a migration that adds its column (see `OrderItem.ts`). */
export const orderFields = {
  orderType: FieldTable.text("Kind of the order"),
  purchaseOrder: FieldTable.text("Purchase order"),
  consigneeName: FieldTable.text("Name of the consignee"),
  consigneePhoneNumber: FieldTable.text("Telephone number of the consignee"),
  bolNumber: FieldTable.text("Bill of lading number"),
  expectedQuantity: FieldTable.wholeAmount("Expected quantity; 0 in a document changes nothing"),
  carrier: FieldTable.text("Carrier of the shipment and of its orders"),
  sealNumber: FieldTable.text("Seal number"),
  supplier: FieldTable.text("Supplier"),
  client: FieldTable.text("Client"),
  destination: FieldTable.text("Destination")
} satisfies FieldTable.Table

/** The fields that a document can set on an order. Absent text is `""`, an absent quantity 0. */
export interface OrderFields extends FieldTable.Values<typeof orderFields> {}

/** The order-level fields without a value. */
export const emptyOrderFields: OrderFields = FieldTable.emptyOf(orderFields)

/** The names of the order-level fields, in the order in which answers show them. */
export const orderFieldNames: ReadonlyArray<keyof OrderFields> = FieldTable.namesOf(orderFields)

/** An order before it has an id. */
export interface OrderDraft extends OrderFields {
  readonly number: string
  readonly status: OrderStatus
  readonly direction: string
  /** Its owner, if any (`document/Decision.ts`). */
  readonly owner?: string
}

/** An order without its items. */
export interface OrderHeader extends OrderDraft {
  readonly id: OrderId
}

/** An order with its items, in id order. */
export interface Order extends OrderHeader {
  readonly items: ReadonlyArray<OrderItem>
}

/** A named value a customer stores on a shipment; names are unique within one shipment. */
export interface AdditionalField {
  readonly name: string
  readonly value: string
}

/** A dock door of a facility. */
export interface Dock {
  readonly id: DockId
  readonly slug: string
}

/** The fields of a shipment that have no rule of their own. A new field needs a row at the end and a migration (see `OrderItem.ts`). */
export const shipmentFields = {
  trailerNumber: FieldTable.text("Trailer number"),
  carrier: orderFields.carrier
} satisfies FieldTable.Table

/** The names of {@link shipmentFields}. */
export const shipmentFieldNames = FieldTable.namesOf(shipmentFields)

/** {@link shipmentFields} without a value. */
export const emptyShipmentFields = FieldTable.emptyOf(shipmentFields)

/** Picks the {@link shipmentFields} of an object and drops its other members. */
export const takeShipmentFields = FieldTable.take(shipmentFields)

/** The times of the steps of a check-in that were noted (D17.3). */
export type CheckIn = Readonly<Partial<Record<CheckInStep, Timestamp>>>

/** The id of the client or person whose request took each step of a shipment. Steps that no such request took are absent. */
export type StepClients = Readonly<Partial<Record<ShipmentMilestone, string>>>

/** A shipment before it has an id. */
export interface ShipmentDraft extends FieldTable.Values<typeof shipmentFields> {
  readonly expectedArrivalAt: Timestamp
  readonly dock: Dock | null
  readonly additionalFields: ReadonlyArray<AdditionalField>
  readonly number: string
  readonly status: ShipmentStatus
  readonly direction: string
  readonly scheduledAt: Timestamp
  readonly arrivedAt: Timestamp | null
  readonly departedAt: Timestamp | null
  readonly cancelledAt: Timestamp | null
  /** The shipments it is linked to, by id. */
  readonly linkedShipmentIds: ReadonlyArray<ShipmentId>
  /** The steps of its check-in that were noted. */
  readonly checkIn: CheckIn
  readonly stepClients: StepClients
  /** The owner of its own fields, if any (`document/Decision.ts`). */
  readonly owner?: string
}

/** A shipment without its orders. */
export interface ShipmentHeader extends ShipmentDraft {
  readonly id: ShipmentId
  /**
   * The number of its changes, from 1: by documents, pallets and steps, and when orders leave it. A document may require a version (D20.4).
   */
  readonly version: number
}

/** The time of a shipment (D13.10): when it departed, else when it arrived, else when it is expected. */
export const timeOf = (
  { arrivedAt, departedAt, expectedArrivalAt }: Pick<
    ShipmentHeader,
    "arrivedAt" | "departedAt" | "expectedArrivalAt"
  >
): Timestamp => departedAt ?? arrivedAt ?? expectedArrivalAt

/** Whether a shipment can still change: it has neither departed nor been cancelled. */
export const isOpen = ({ status }: Pick<ShipmentHeader, "status">): boolean =>
  status === "SCHEDULED" || status === "ARRIVED"

/** A shipment with its orders and pallets, in id order. */
export interface Shipment extends ShipmentHeader {
  readonly orders: ReadonlyArray<Order>
  readonly pallets: ReadonlyArray<SeenPallet>
}

/** The field names under which the driver is stored among the additional fields (WIRE.md, shipment fields). */
export const driverFieldNames = ["driverName", "driverLicenseNumber", "driverLicensePlate"] as const

/** Merges fields by name; an empty value keeps the stored one (D3.7). Returns `present` itself when nothing changes. */
export const mergeAdditionalFields = (
  present: ReadonlyArray<AdditionalField>,
  news: ReadonlyArray<AdditionalField>
): ReadonlyArray<AdditionalField> => {
  const values = new Map(present.map((field) => [field.name, field.value]))
  for (const { name, value } of news) {
    if (value !== "") values.set(name, value)
  }
  // Compares merged values, because if a name occurs twice, its last value may equal the stored one.
  const same = values.size === present.length &&
    present.every(({ name, value }) => values.get(name) === value)
  return same ? present : Array.from(values, ([name, value]) => ({ name, value }))
}

/** A shipment and its location. */
export interface LocatedShipment {
  readonly location: Location
  readonly shipment: Shipment
}

/** An order, its shipment and their location. */
export interface LocatedOrder {
  readonly location: Location
  readonly shipmentId: ShipmentId
  readonly shipmentNumber: string
  readonly order: Order
}

/** The shipment after a plan; its id is `""` in a dry run that would create it. */
export interface ShipmentAfter extends Omit<ShipmentHeader, "id"> {
  readonly id: ShipmentId | ""
  readonly orders: ReadonlyArray<Order>
  readonly pallets: ReadonlyArray<SeenPallet>
}
