/**
 * Histories of the whole service, as data: what happens, one thing after another, in one business. A history names
 * no id: shipments go by the order of their creation, the first one made is shipment 1.
 *
 * Guarantee: a history reads as what it is, one line for each thing that happens.
 */
import type { BusinessEntry } from "@dockline/core/Directory"
import type { RecordQuery } from "@dockline/core/Intake"
import type { MessageType, ShipmentStatus } from "@dockline/core/Vocabulary"
import * as fc from "fast-check"

/** A JSON object as clients send it. The business is added when it is sent, unless it names one. */
export type Json = Readonly<Record<string, unknown>>

/** One thing that happens. */
export type Happening =
  | { readonly _tag: "Submit"; readonly document: Json; readonly dryRun: boolean }
  | {
    readonly _tag: "Pallet"
    readonly event: Json
    /** The shipment that the event gives as `shipmentId`. */
    readonly shipment: number | undefined
  }
  | { readonly _tag: "Arrive"; readonly shipment: number; readonly arrival: Json }
  | { readonly _tag: "Depart"; readonly shipment: number; readonly departure: Json }
  | { readonly _tag: "CheckIn"; readonly shipment: number; readonly note: Json }
  | { readonly _tag: "Link"; readonly shipment: number; readonly linked: number }
  | { readonly _tag: "Cancel"; readonly shipment: number }
  | {
    readonly _tag: "Report"
    readonly shipment: number
    /** The pallet that the report gives as `palletId`, by the order of appearance. */
    readonly pallet: number | undefined
    readonly report: Json
    /** Its idempotency key, if it has one; another business does not share it. */
    readonly key: string | undefined
  }
  | {
    readonly _tag: "Resolve"
    /** By the order of reports. */
    readonly exception: number
    /** The shipment that it is said to be of; its own unless given. */
    readonly shipment: number | undefined
    readonly resolution: Json
  }
  | { readonly _tag: "Read"; readonly shipment: number }
  | { readonly _tag: "ReadShipments"; readonly filter: ShipmentsFilter; readonly limit: number }
  | { readonly _tag: "ReadOrders"; readonly filter: OrdersFilter; readonly limit: number }
  | { readonly _tag: "FindPallets"; readonly filter: PalletsFilter; readonly limit: number }
  | { readonly _tag: "ReadRecords"; readonly filter: RecordsFilter; readonly limit: number }
  | { readonly _tag: "ReadMessages"; readonly filter: MessagesFilter; readonly limit: number }

/** What a list of shipments is narrowed to. */
export interface ShipmentsFilter {
  readonly facility?: string | undefined
  readonly shipmentNumber?: string | undefined
  readonly status?: ShipmentStatus | undefined
  readonly discrepancies?: boolean | undefined
}

/** What a list of orders is narrowed to. */
export interface OrdersFilter {
  readonly facility?: string | undefined
  readonly orderNumber?: string | undefined
}

/** What pallets are looked for. */
export interface PalletsFilter {
  readonly facility?: string | undefined
  readonly lpn: string
}

/** What the record of documents is narrowed to. */
export type RecordsFilter = Pick<
  RecordQuery,
  "facility" | "shipmentNumber" | "orderNumber" | "outcome" | "removed" | "lpn" | "from" | "to"
>

/** What a list of messages is narrowed to. */
export interface MessagesFilter {
  readonly facility?: string | undefined
  readonly types: ReadonlyArray<MessageType>
}

/** The business that a history happens in: facilities east (docks D1, D2) and west (dock D1). */
export const businessOf = (slug: string): BusinessEntry => ({
  slug,
  name: "Acme",
  fieldMap: [
    { name: "LPN", label: "lpn", list: false },
    { name: "SKUs", label: "sku", list: true }
  ],
  facilities: [
    { slug: "east", name: "East", docks: ["D1", "D2"] },
    { slug: "west", name: "West", docks: ["D1"] }
  ]
})

/** A history; printed as one line for each thing that happens. */
export class History {
  readonly happenings: ReadonlyArray<Happening>

  constructor(happenings: ReadonlyArray<Happening>) {
    this.happenings = happenings
  }

  /** The steps, one a line, as a failing test shows them. */
  toString(): string {
    return this.happenings.length === 0
      ? "nothing happens"
      : this.happenings.map((each, index) => `${index + 1}. ${show(each)}`).join("\n")
  }

  /** How fast-check prints it. */
  [fc.toStringMethod](): string {
    return `\n${this.toString()}\n`
  }
}

/** A happening as what it is and what it says. */
export const show = ({ _tag, ...said }: Happening): string => `${_tag} ${JSON.stringify(said)}`
