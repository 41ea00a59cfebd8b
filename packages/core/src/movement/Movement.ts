/**
 * The decisions about shipments in motion, whole and pure: pallet events, arrival, departure, links (D6).
 *
 * Guarantee: no clock, no ids, no I/O; what a decision depends on is its snapshot, taken under locks.
 */
import { Result } from "effect"
import { allows } from "../access/Access.ts"
import type { Principal } from "../access/Access.ts"
import type { MessageDraft } from "../messages/Message.ts"
import type { MessageField } from "../places/MessageField.ts"
import type { Place } from "../places/Place.ts"
import type { Dock } from "../shipment/Shipment.ts"
import type { LocatedShipment } from "../shipment/Shipment.ts"
import { clip } from "../values/Clip.ts"
import {
  BusinessNotFound,
  EventIdReused,
  FacilityNotFound,
  Forbidden,
  PalletNotMatched,
  ShipmentDeparted,
  ShipmentNotFound,
  TooManyPalletEvents,
  UnknownDock
} from "../values/Errors.ts"
import type { Timestamp } from "../values/Timestamp.ts"
import type { ShipmentStatus } from "../values/Vocabulary.ts"
import { lpnOf } from "./Pallet.ts"
import type { PalletAnswer, PalletEvent, RecordedPallet } from "./Pallet.ts"
import { palletPayload } from "./Payload.ts"

/** A shipment that a pallet may belong to. */
export interface PalletShipment {
  readonly id: number
  readonly number: string
  readonly status: ShipmentStatus
  /** The id of its pallet with the event's lpn; `null` when there is none yet, or the event has no lpn. */
  readonly palletId: number | null
  /** The numbers of its orders that hold an item with the event's lpn, in order id order; none without an lpn. */
  readonly ordersWithLpn: ReadonlyArray<string>
  /** The number of its order, when it has exactly one. */
  readonly onlyOrder: string | null
  /** The pallet events it has. */
  readonly events: number
  /** The characters of their labels (names and values) and orders. */
  readonly labelText: number
}

/** Everything the decision about a pallet event depends on, as it is under the locks of the transaction. */
export interface PalletSnapshot {
  readonly now: Timestamp
  /** `null` when there is no such business. */
  readonly business: Place | null
  /** `null` when the business has no such facility. */
  readonly facility: Place | null
  /** `null` when the facility has no such dock. */
  readonly dock: Dock | null
  readonly fieldMap: ReadonlyArray<MessageField>
  /** The event of that id that the facility has had, with what it said and how it was answered. */
  readonly recorded: { readonly text: string; readonly answer: PalletAnswer } | null
  /** The shipment of the event's `shipmentId` or `shipmentNumber` at the facility. */
  readonly given: PalletShipment | null
  /** The latest created not-departed shipment at the facility with an item of the event's lpn. */
  readonly byLpn: PalletShipment | null
  /** The ARRIVED shipment that arrived last at the event's dock; of several of one instant the latest created. */
  readonly atDock: PalletShipment | null
  /** The id that a pallet gets which is not known yet. */
  readonly newPalletId: number
}

/** What recording a pallet event writes. */
export interface PalletPlan {
  readonly shipmentId: number
  readonly palletId: number
  readonly isNewPallet: boolean
  /** `""` for a pallet without an lpn label. */
  readonly lpn: string
  /** The first pallet of a SCHEDULED shipment makes it ARRIVED, at the event's dock; `null` otherwise. */
  readonly arrivedAt: Timestamp | null
  readonly dock: Dock
  readonly orders: ReadonlyArray<string>
  /** The characters that it adds to the shipment's `labelText`. */
  readonly labelText: number
  readonly message: MessageDraft
}

/** What becomes of a pallet event. */
export type PalletDecision =
  | { readonly _tag: "Repeat"; readonly answer: PalletAnswer }
  | { readonly _tag: "Record"; readonly plan: PalletPlan }

/** Everything a step of a shipment depends on. */
export interface StepSnapshot {
  readonly now: Timestamp
  readonly found: LocatedShipment
  /** The dock of the step's `dockSlug`; `null` when it names none or an unknown one. */
  readonly dock: Dock | null
  readonly fieldMap: ReadonlyArray<MessageField>
  /** Its pallet events in order of recording; only for a departure, else none. */
  readonly pallets: ReadonlyArray<RecordedPallet>
}

/** What a link writes. */
export type LinkPlan = { readonly _tag: "Unchanged" } | { readonly _tag: "Link" }

/** What a step of a shipment writes. */
export type StepPlan =
  | { readonly _tag: "Unchanged" }
  | {
    readonly _tag: "Arrive"
    readonly arrivedAt: Timestamp
    /** The dock of the shipment from now on. */
    readonly dock: Dock | null
  }
  | { readonly _tag: "Depart"; readonly departedAt: Timestamp; readonly message: MessageDraft }

/** Everything a link depends on; `null` where there is no such shipment. */
export interface LinkSnapshot {
  readonly shipment: LocatedShipment | null
  readonly linked: LocatedShipment | null
}

/** Why a pallet event is refused once its content is known to be well-formed. */
export type PalletRefusal =
  | BusinessNotFound
  | FacilityNotFound
  | Forbidden
  | UnknownDock
  | EventIdReused
  | ShipmentNotFound
  | PalletNotMatched
  | ShipmentDeparted
  | TooManyPalletEvents

/** What a decision about a pallet event depends on beside the event and its snapshot. */
export interface PalletContext {
  readonly principal: Principal
  /** Without a slash at the end. */
  readonly dashboardUrl: string
  /** All that the event says: `textOf` (`Pallet.ts`) of it. */
  readonly text: string
}

/**
 * The most pallet events of one shipment, and the most characters of their labels and orders: its completion is made
 * of them all, so it must stay one readable message.
 */
export const palletLimits = { eventLimit: 10_000, textLimit: 2 * 1024 * 1024 }

/**
 * Decides what becomes of a pallet event (D6.1–4).
 *
 * Checks in the order of D3.9: unknown business or facility, permission; then whether the event is known; then the
 * dock, the shipment, and whether that can take it.
 */
export const decidePallet = (
  event: PalletEvent,
  snapshot: PalletSnapshot,
  context: PalletContext
): Result.Result<PalletDecision, PalletRefusal> => {
  const { business, facility, eventId, dockSlug } = event
  if (snapshot.business === null) return Result.fail(new BusinessNotFound({ business }))
  if (snapshot.facility === null) return Result.fail(new FacilityNotFound({ business, facility }))
  if (!allows(context.principal, "pallets:write", business, facility)) {
    return Result.fail(new Forbidden({ permission: "pallets:write", business, facility }))
  }
  const { recorded, dock } = snapshot
  if (recorded !== null) {
    return recorded.text === context.text
      ? Result.succeed({ _tag: "Repeat", answer: recorded.answer })
      : Result.fail(new EventIdReused({ eventId }))
  }
  if (dock === null) return Result.fail(new UnknownDock({ dockSlug, facility }))
  return Result.flatMap(match(event, snapshot), (shipment) => {
    const plan = planPallet(event, dock, shipment, snapshot, context.dashboardUrl)
    return shipment.events < palletLimits.eventLimit &&
        shipment.labelText + plan.labelText <= palletLimits.textLimit
      ? Result.succeed({ _tag: "Record", plan })
      : Result.fail(new TooManyPalletEvents({ shipmentNumber: shipment.number, ...palletLimits }))
  })
}

/** The given shipment, else the one that expects the pallet, else the one at the dock (D6.2). */
const match = (
  event: PalletEvent,
  snapshot: PalletSnapshot
): Result.Result<PalletShipment, ShipmentNotFound | PalletNotMatched | ShipmentDeparted> => {
  const asked = event.shipmentId === null ? event.shipmentNumber : String(event.shipmentId)
  if (asked !== "" && snapshot.given === null) return Result.fail(new ShipmentNotFound({ id: clip(asked) }))
  const shipment = asked === "" ? snapshot.byLpn ?? snapshot.atDock : snapshot.given
  if (shipment === null) {
    return Result.fail(new PalletNotMatched({ lpn: lpnOf(event.labels), dockSlug: event.dockSlug }))
  }
  return shipment.status === "DEPARTED"
    ? Result.fail(new ShipmentDeparted({ shipmentNumber: shipment.number }))
    : Result.succeed(shipment)
}

const planPallet = (
  event: PalletEvent,
  dock: Dock,
  shipment: PalletShipment,
  snapshot: PalletSnapshot,
  dashboardUrl: string
): PalletPlan => {
  const { business, facility, direction, occurredAt, labels } = event
  const shipmentId = shipment.id
  const palletId = shipment.palletId ?? snapshot.newPalletId
  const orders = ordersOf(shipment)
  const sighting = { business, facility, shipmentId, palletId, direction, orders, dock, labels }
  return {
    shipmentId,
    palletId,
    isNewPallet: shipment.palletId === null,
    lpn: lpnOf(labels),
    arrivedAt: shipment.status === "SCHEDULED" ? occurredAt : null,
    dock,
    orders,
    labelText: labels.reduce((sum, { name, value }) => sum + name.length + value.length, 0) +
      orders.reduce((sum, number) => sum + number.length, 0),
    message: {
      business,
      facility,
      type: "PALLET_EVENT",
      payload: palletPayload(sighting, occurredAt, { dashboardUrl, fieldMap: snapshot.fieldMap }),
      shipmentId
    }
  }
}

/** The orders that hold an item with the pallet's lpn, else the only one there is (D6.3): of one, it is that anyhow. */
const ordersOf = ({ ordersWithLpn, onlyOrder }: PalletShipment): ReadonlyArray<string> =>
  onlyOrder === null ? ordersWithLpn : [onlyOrder]

/** The answer to an event that has been recorded as planned. */
export const palletAnswer = (plan: PalletPlan, messageId: number): PalletAnswer => ({
  messageId,
  serviceShipmentId: String(plan.shipmentId),
  servicePalletId: String(plan.palletId),
  orders: plan.orders
})

/** How messages about shipments in motion are made. */
export interface MovementConfig {
  /** The customers' dashboard, which the messages link to. */
  readonly dashboardUrl: string
}

/** The default: a dashboard of this machine. */
export const defaultMovementConfig: MovementConfig = { dashboardUrl: "http://localhost:8080/dashboard" }

/** The dashboard's URL, to which paths are appended. */
export const dashboardOf = ({ dashboardUrl }: MovementConfig): string => dashboardUrl.replace(/\/+$/, "")
