/**
 * The shipment: one truck or container visit at a facility, named for ever by business, facility and number.
 *
 * Absent text is `""`, here and in storage; which empty defaults an answer shows is decided in `View.ts`.
 */
import type { Location } from "../places/Place.ts"
import * as Row from "../values/FieldTable.ts"
import type { Timestamp } from "../values/Timestamp.ts"
import type { CheckInStep, ShipmentStatus } from "../values/Vocabulary.ts"
import { orderFields } from "./Order.ts"
import type { Order } from "./Order.ts"
import type { SeenPallet } from "./SeenPallet.ts"

/** A named value a customer stores on a shipment; names are unique within one shipment. */
export interface AdditionalField {
  readonly name: string
  readonly value: string
}

/** A dock door of a facility. */
export interface Dock {
  readonly id: number
  readonly slug: string
}

/** The fields of a shipment without a rule of their own. A new one is the last row here, and a migration (`OrderItem.ts`). */
export const shipmentFields = {
  trailerNumber: Row.text("Trailer number"),
  carrier: orderFields.carrier
} satisfies Row.Table

/** The names of {@link shipmentFields}. */
export const shipmentFieldNames = Row.namesOf(shipmentFields)

/** {@link shipmentFields} without a value. */
export const emptyShipmentFields = Row.emptyOf(shipmentFields)

/** Takes {@link shipmentFields} from what gives them, and from nothing else that it says. */
export const takeShipmentFields = Row.take(shipmentFields)

/** When each step of a check-in was, as far as it was noted (D17.3). */
export type CheckIn = Readonly<Partial<Record<CheckInStep, Timestamp>>>

/** A shipment before it has an id. */
export interface ShipmentDraft extends Row.Values<typeof shipmentFields> {
  readonly expectedArrivalAt: Timestamp
  readonly dock: Dock | null
  readonly additionalFields: ReadonlyArray<AdditionalField>
  readonly number: string
  readonly status: ShipmentStatus
  readonly direction: string
  readonly scheduledAt: Timestamp
  readonly arrivedAt: Timestamp | null
  readonly departedAt: Timestamp | null
  /** The shipments it is linked to, by id. */
  readonly linkedShipmentIds: ReadonlyArray<number>
  /** The steps of its check-in that were noted. */
  readonly checkIn: CheckIn
  /** Whose its own fields are, if they are somebody's (`Ownership.ts`). */
  readonly owner?: string
}

/** A shipment without its orders. */
export interface ShipmentHeader extends ShipmentDraft {
  /** A positive integer below 2^53. */
  readonly id: number
  /**
   * How often it has changed, from 1: with its documents, pallets and steps, and when orders leave it. A document may ask that it is
   * still the one that was read (D20.4).
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

/** Whether anything can happen to a shipment: it has neither departed nor been cancelled. */
export const isOpen = ({ status }: Pick<ShipmentHeader, "status">): boolean =>
  status === "SCHEDULED" || status === "ARRIVED"

/** A shipment with its orders and pallets, in id order. */
export interface Shipment extends ShipmentHeader {
  readonly orders: ReadonlyArray<Order>
  readonly pallets: ReadonlyArray<SeenPallet>
}

/** The field names under which the driver is stored among the additional fields (WIRE.md, shipment fields). */
export const driverFieldNames = ["driverName", "driverLicenseNumber", "driverLicensePlate"] as const

/** Merges fields by name; an empty value leaves what is there (D3.7). Returns `stored` itself when nothing changes. */
export const mergeAdditionalFields = (
  present: ReadonlyArray<AdditionalField>,
  news: ReadonlyArray<AdditionalField>
): ReadonlyArray<AdditionalField> => {
  const values = new Map(present.map((field) => [field.name, field.value]))
  for (const { name, value } of news) {
    if (value !== "") values.set(name, value)
  }
  // The merged values are compared: of a name that is given twice, the last value may equal the stored one.
  const same = values.size === present.length &&
    present.every(({ name, value }) => values.get(name) === value)
  return same ? present : Array.from(values, ([name, value]) => ({ name, value }))
}

/** A shipment and where it belongs. */
export interface LocatedShipment {
  readonly location: Location
  readonly shipment: Shipment
}

/** An order, its shipment and where they belong. */
export interface LocatedOrder {
  readonly location: Location
  readonly shipmentId: number
  readonly shipmentNumber: string
  readonly order: Order
}

/** The shipment after a plan; its id is `""` in a dry run that would create it. */
export interface ShipmentAfter extends Omit<ShipmentHeader, "id"> {
  readonly id: number | ""
  readonly orders: ReadonlyArray<Order>
  readonly pallets: ReadonlyArray<SeenPallet>
}
