/**
 * The shipment: one visit of a truck or container at a facility, permanently identified by business, facility and number. It has orders,
 * which customers identify by `orderNumber`; each order is on exactly one shipment at a time. It also has the pallets that towers have
 * seen: the first and the last event of a pallet determine where it is now (D6.6, D13.1).
 *
 * An order has items: pallet lines, keyed by license plate and stock-keeping unit, or loose goods without a license plate, keyed by
 * identifier and stock-keeping unit. References name shipments, orders and items in `created`, `updated` and `removed` (WIRE.md, reference
 * rules).
 *
 * Absent text is `""`, here and in storage; `View.ts` decides which empty defaults an answer shows.
 */
import { Schema } from "effect"
import { isSameLpn, lpnKey } from "../labels/Lpn.ts"
import type { Location } from "../places/Place.ts"
import * as Field from "../values/Field.ts"
import { shownText } from "../values/Field.ts"
import * as FieldTable from "../values/FieldTable.ts"
import type { DockId, ItemId, OrderId, PalletId, ShipmentId } from "../values/Id.ts"
import type { Timestamp } from "../values/Timestamp.ts"
import type {
  CheckInStep,
  OrderStatus,
  PalletDirection,
  ShipmentMilestone,
  ShipmentStatus
} from "../values/Vocabulary.ts"

/** The fields of a case serial. */
const caseSerialFields = {
  id: FieldTable.key("Serial number of the case"),
  quantity: FieldTable.wholeAmount("How many units the case holds")
}

/**
 * The fields of an item. A new field needs a row at the end of this table, and a migration that adds a column with its name in snake case.
 * Both must come last, because during an update instances of the previous version may still read rows by position.
 */
export const itemFields = {
  identifier: FieldTable.identifier("Item reference; not used for matching"),
  lpn: FieldTable.lpn(
    "License plate of the pallet; part of the item key. All forms in which scanners send one SSCC are the same"
  ),
  sku: FieldTable.visibleKey("Stock-keeping unit; part of the item key"),
  quantity: FieldTable.amount("Quantity, at least 0"),
  quantityUnit: FieldTable.word("quantityUnits", "Unit of quantity"),
  purchaseOrder: FieldTable.text("Purchase order of the item"),
  description: FieldTable.text("What it is"),
  upc: FieldTable.text("Universal product code"),
  weightPerUnit: FieldTable.amount("Weight of one unit"),
  weightUnit: FieldTable.word("weightUnits", "Unit of weightPerUnit"),
  height: FieldTable.amount("Height, in dimensionUnit"),
  length: FieldTable.amount("Length, in dimensionUnit"),
  width: FieldTable.amount("Width, in dimensionUnit"),
  dimensionUnit: FieldTable.word("dimensionUnits", "Unit of height, length and width"),
  isDangerousGood: FieldTable.flag("Whether it is a dangerous good"),
  lot: FieldTable.text("Lot number"),
  expirationDate: FieldTable.date("Date of expiration"),
  manufacturingDate: FieldTable.date("Date of manufacturing"),
  caseSerials: FieldTable.list(caseSerialFields, Field.maxCaseSerials, "Serial numbers of the cases")
} satisfies FieldTable.Table

/** The serial number of a case on a pallet, and the quantity of the case. */
export type CaseSerial = FieldTable.Values<typeof caseSerialFields>

/** An item before it has an id. Absent text is `""`, an absent number 0, an absent flag `false`. */
export interface OrderItemDraft extends FieldTable.Values<typeof itemFields> {}

/** An item of an order. */
export interface OrderItem extends OrderItemDraft {
  readonly id: ItemId
}

/** An item whose fields are all empty. */
export const emptyOrderItem: OrderItemDraft = FieldTable.emptyOf(itemFields)

/** The names of the item-level fields, in the order in which answers show them. */
export const orderItemFieldNames: ReadonlyArray<keyof OrderItemDraft> = FieldTable.namesOf(itemFields)

/** The fields that identify an item within its order. */
export type KeyedItem = Pick<OrderItemDraft, "identifier" | "lpn" | "sku">

/** The names of the fields of an item that a document can change. The lpn of an item keeps the form in which it was first sent (D22). */
export const changeableItemFields = orderItemFieldNames.filter((name) => itemFields[name].kind !== "key")

/**
 * The key of an item within its order, compared exactly, case and zeros included: lpn and sku (D3.5), and identifier and sku of an item
 * without an lpn (D17.2). All forms of an SSCC are one lpn (D22). The length prefix keeps `("a", "bc")` and `("ab", "c")` apart, whatever
 * characters they hold. The prefix `@` keeps items without an lpn apart from all others.
 */
export const itemKey = ({ identifier, lpn, sku }: KeyedItem): string => {
  if (lpn === "") return `@${identifier.length}:${identifier}${sku}`
  const key = lpnKey(lpn)
  return `${key.length}:${key}${sku}`
}

/** Whether two items have the same {@link itemKey}. */
export const haveSameKey = (one: KeyedItem, other: KeyedItem): boolean =>
  one.sku === other.sku && isSameLpn(one.lpn, other.lpn) &&
  (one.lpn !== "" || one.identifier === other.identifier)

/** A reference to one entity that a document touched. Ids are strings in references (D1.5). */
export const EntityReference = Schema.Struct({
  type: Schema.Literals(["SHIPMENT", "ORDER", "ORDER_ITEM"]).annotate({ description: "What it is" }),
  id: shownText("Id of the entity; empty in a dry run for an entity that would be created"),
  reference: Schema.String.annotate({
    description: "Shipment number, order number, or the item's identifier, else its lpn, else its sku"
  })
}).annotate({
  identifier: "EntityReference",
  description: "A shipment, order or item that a document touched."
})

export type EntityReference = typeof EntityReference.Type

/** The reference to a shipment: its number, which defaults to the order number. */
export const shipmentReference = (
  shipment: { readonly id: ShipmentId | ""; readonly number: string }
): EntityReference => ({
  type: "SHIPMENT",
  id: String(shipment.id),
  reference: shipment.number
})

/** The reference to an order: its number. */
export const orderReference = (
  order: { readonly id: OrderId; readonly number: string }
): EntityReference => ({
  type: "ORDER",
  id: order.id,
  reference: order.number
})

/** The reference to an item: its identifier, else its lpn, else its sku. */
export const itemReference = (
  item: Pick<OrderItemDraft, "identifier" | "lpn" | "sku"> & { readonly id: ItemId }
): EntityReference => ({
  type: "ORDER_ITEM",
  id: item.id,
  reference: item.identifier || item.lpn || item.sku
})

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

/** The fields of an order. A new field needs a row at the end and a migration that adds its column (see {@link itemFields}). */
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

/** The fields of a shipment that have no rule of their own. A new field needs a row at the end and a migration (see {@link itemFields}). */
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

/** A shipment without its orders and pallets. */
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
