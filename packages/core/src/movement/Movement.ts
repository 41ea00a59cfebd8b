/**
 * The types of decisions about pallets and steps, the decision about a pallet event (D6), and the port that stores pallets and steps.
 *
 * Guarantee: a decision uses no clock, creates no ids and does no I/O. It depends only on its arguments; the store takes the snapshot under
 * locks.
 */
import { Context, Effect, Result } from "effect"
import type { Keep } from "../access/Idempotency.ts"
import type { MessageDraft } from "../messages/Message.ts"
import { unknownPlace } from "../places/Authorize.ts"
import { lateFieldName } from "../places/MessageField.ts"
import type { MessageField } from "../places/MessageField.ts"
import type { Place } from "../places/Place.ts"
import { defaultReportedTimes, timeFault } from "../shipment/CheckIn.ts"
import type { CheckedIn, ReportedTimeSettings } from "../shipment/CheckIn.ts"
import type { ExpectedElsewhere } from "../shipment/Discrepancies.ts"
import { sightAgain } from "../shipment/Shipment.ts"
import type { Dock, LocatedShipment } from "../shipment/Shipment.ts"
import { ordersOf, verdictOf } from "../shipment/Verdict.ts"
import type { PalletOrders, Sighting, Verdict } from "../shipment/Verdict.ts"
import { clip, withoutSlashes } from "../values/Clip.ts"
import {
  EventIdReused,
  PalletNotMatched,
  ShipmentCancelled,
  ShipmentDeparted,
  ShipmentNotFound,
  TooManyPalletEvents,
  UnknownDock
} from "../values/Errors.ts"
import type { StorageUnavailable } from "../values/Errors.ts"
import type { MessageId, PalletId, ShipmentId } from "../values/Id.ts"
import type { Timestamp } from "../values/Timestamp.ts"
import type { CheckInStep, ShipmentStatus } from "../values/Vocabulary.ts"
import { lateChange, takesLate } from "./LatePallets.ts"
import type { Departure } from "./LatePallets.ts"
import { lpnOf, notesOf } from "./Pallet.ts"
import type { PalletAnswer, PalletEvent, RecordedEvent, RecordedPallet } from "./Pallet.ts"
import type { PalletRefusal } from "./PalletOperations.ts"
import { discrepanciesMessage, draftOf, palletPayload, shipmentMessage } from "./ShipmentMessage.ts"

/** A shipment that a pallet may belong to. */
export interface PalletShipment extends PalletOrders {
  readonly id: ShipmentId
  readonly number: string
  readonly status: ShipmentStatus
  readonly direction: string
  /** Its dock before the event. */
  readonly dock: Dock | null
  readonly arrivedAt: Timestamp | null
  /** `null` unless it has departed. */
  readonly departure: Departure | null
  /** The id of its pallet with the event's LPN; `null` when there is none yet, or the event has no LPN. */
  readonly palletId: PalletId | null
  /** The sightings of that pallet; `null` without a pallet. */
  readonly sightings: Sighting["sightings"]
  /** The latest created open shipment of the facility that expects the event's LPN, if this one does not. */
  readonly elsewhere: Sighting["elsewhere"]
  /** The numbers of all its orders while it is SCHEDULED, for the message about its arrival; otherwise none. */
  readonly orders: ReadonlyArray<string>
  /** The number of its pallet events. */
  readonly events: number
  /** The characters of the events' labels (names and values) and orders. */
  readonly labelText: number
}

/** The data that the decision about a pallet event depends on, read under the locks of the transaction. */
export interface PalletSnapshot {
  readonly now: Timestamp
  /** `null` when no business has the slug; likewise for the facility and the dock. */
  readonly business: Place | null
  readonly facility: Place | null
  readonly dock: Dock | null
  readonly fieldMap: ReadonlyArray<MessageField>
  /** The facility's earlier event with the same id, with its text and its answer. */
  readonly earlierEvent: { readonly text: string; readonly answer: PalletAnswer } | null
  /** The shipment with the event's `shipmentId` or `shipmentNumber` at the facility. */
  readonly namedShipment: PalletShipment | null
  /** The latest created open shipment at the facility that has an item with the event's LPN. */
  readonly byLpn: PalletShipment | null
  /**
   * If no open shipment at the facility has an item with the event's LPN: the latest created shipment that has one and departed at
   * `departedSince` or later.
   */
  readonly departed: PalletShipment | null
  /**
   * The shipment at the event's dock when the event occurred, even if it has departed since. If there were several, the last to arrive, and
   * among those that arrived at the same instant the latest created. If there was none, the first shipment to arrive there afterwards, and
   * among those that arrived at the same instant the first created.
   */
  readonly atDock: PalletShipment | null
  /** The id for a new pallet. */
  readonly newPalletId: PalletId
}

/** The writes of a recorded pallet event. */
export interface PalletPlan {
  readonly shipmentId: ShipmentId
  readonly palletId: PalletId
  readonly isNewPallet: boolean
  /** `""` for a pallet without an LPN label. */
  readonly lpn: string
  /** Whether an item of the shipment is expected on the pallet. */
  readonly isExpected: boolean
  /**
   * The new time of arrival, if the first pallet of a SCHEDULED shipment makes it ARRIVED at the event's dock, or if the pallet passed
   * before the recorded arrival (D21.3); otherwise `null`.
   */
  readonly arrivedAt: Timestamp | null
  /** The id of the client whose pallet makes a SCHEDULED shipment ARRIVED; `null` otherwise. */
  readonly arrivedBy: string | null
  /** For a late pallet, the new list of other shipments that expect pallets of the departed shipment (D21.4); otherwise `null`. */
  readonly elsewhere: ReadonlyArray<ExpectedElsewhere> | null
  readonly dock: Dock
  readonly orders: ReadonlyArray<string>
  /** The characters that the event adds to the shipment's `labelText`. */
  readonly labelText: number
  readonly verdict: Verdict
  readonly notes: PalletAnswer["notes"]
  /**
   * The message about the pallet. A message about the arrival of the shipment may come before it, and one about its discrepancies after it.
   */
  readonly messages: ReadonlyArray<MessageDraft>
}

/** The decision about a pallet event: it repeats an earlier event, or it is recorded. */
export type PalletDecision =
  | { readonly _tag: "Repeat"; readonly answer: PalletAnswer }
  | { readonly _tag: "Record"; readonly plan: PalletPlan }

/** The data that a step of a shipment depends on. */
export interface StepSnapshot {
  readonly now: Timestamp
  readonly match: LocatedShipment
  /** The dock of the step's `dockSlug`; `null` when the slug is empty or unknown. */
  readonly dock: Dock | null
  readonly fieldMap: ReadonlyArray<MessageField>
  /** The pallet events of the shipment in the order of recording, for a departure; otherwise none. */
  readonly pallets: ReadonlyArray<RecordedPallet>
  /** The open shipments that expect pallets of this shipment (see `Tracking`), for a departure; otherwise none. */
  readonly elsewhere: ReadonlyArray<ExpectedElsewhere>
}

/** The writes of a link. */
export type LinkPlan = { readonly _tag: "Unchanged" } | { readonly _tag: "Link" }

/** The change that a step makes to a shipment, and the id of the client or person that takes the step. */
export type StepChange =
  & { readonly clientId: string }
  & (
    | {
      readonly _tag: "Arrive"
      readonly arrivedAt: Timestamp
      /** The new dock of the shipment. */
      readonly dock: Dock | null
    }
    | {
      readonly _tag: "Depart"
      readonly departedAt: Timestamp
      /** Stored, so that the discrepancies stay as they are at the departure (D13.4). */
      readonly elsewhere: ReadonlyArray<ExpectedElsewhere>
    }
    | { readonly _tag: "Cancel"; readonly cancelledAt: Timestamp }
    | { readonly _tag: "CheckIn"; readonly step: CheckInStep } & CheckedIn
  )

/** The writes of a step of a shipment. */
export type StepPlan =
  | { readonly _tag: "Unchanged" }
  | StepChange & { readonly messages: ReadonlyArray<MessageDraft> }

/** The data that a link depends on; `null` for a shipment that does not exist. */
export interface LinkSnapshot {
  readonly shipment: LocatedShipment | null
  readonly target: LocatedShipment | null
}

/** The most pallet events of a shipment, and the most characters of their labels and orders: the completion message holds them all. */
export const palletLimits = { eventLimit: 10_000, textLimit: 2 * 1024 * 1024 }

/** The context of the decision about a pallet event, beside its snapshot. */
export interface PalletContext {
  /** The id of the client that reports the pallet. */
  readonly clientId: string
  readonly dashboardUrl: string
  readonly text: string
  readonly times?: ReportedTimeSettings
}

/**
 * Decides about a pallet event (D6.1–4). Checks follow the order of D3.9: unknown business or facility; whether the event repeats an
 * earlier one; its time (D21.2); the dock, the shipment, and whether the shipment can take the pallet. `text` is the whole content of the
 * event (`textOf`); `dashboardUrl` has no slash at the end.
 */
export const decidePallet = (
  event: PalletEvent,
  snapshot: PalletSnapshot,
  { clientId, dashboardUrl, text, times = defaultReportedTimes }: PalletContext
): Result.Result<PalletDecision, PalletRefusal> => {
  const { facility, eventId, dockSlug } = event
  const unknown = unknownPlace(snapshot, event)
  if (unknown !== undefined) return Result.fail(unknown)
  const { earlierEvent, dock } = snapshot
  if (earlierEvent !== null) {
    return earlierEvent.text === text
      ? Result.succeed({ _tag: "Repeat", answer: { ...earlierEvent.answer, ...notesOf(event) } })
      : Result.fail(new EventIdReused({ eventId }))
  }
  const untimely = timeFault(event.occurredAt, snapshot.now, times)
  if (untimely !== undefined) return Result.fail(untimely)
  if (dock === null) return Result.fail(new UnknownDock({ dockSlug, facility }))
  return Result.flatMap(match(event, snapshot, times), (shipment) => {
    const plan = planPallet(event, dock, shipment, snapshot, { clientId, dashboardUrl })
    return shipment.events < palletLimits.eventLimit &&
        shipment.labelText + plan.labelText <= palletLimits.textLimit
      ? Result.succeed({ _tag: "Record", plan })
      : Result.fail(new TooManyPalletEvents({ shipmentNumber: shipment.number, ...palletLimits }))
  })
}

/** The refusal of a change to a shipment that has departed or is cancelled; `undefined` while the shipment is open. */
export const finalityOf = (
  { number, status }: Pick<PalletShipment, "number" | "status">
): ShipmentDeparted | ShipmentCancelled | undefined => {
  if (status === "DEPARTED") return new ShipmentDeparted({ shipmentNumber: number })
  if (status === "CANCELLED") return new ShipmentCancelled({ shipmentNumber: number })
  return undefined
}

/** The index of the pallet message among the messages of its plan. */
export const palletMessageAt = ({ messages }: Pick<PalletPlan, "messages">): number =>
  messages.findIndex(({ type }) => type === "PALLET_EVENT")

/**
 * The shipment that the event names. If it names none: the open shipment that expects the pallet, else the departed shipment that expected
 * it, else the shipment at the dock (D6.2, D21.4).
 */
const match = (
  event: PalletEvent,
  snapshot: PalletSnapshot,
  times: ReportedTimeSettings
): Result.Result<
  PalletShipment,
  ShipmentNotFound | PalletNotMatched | ShipmentDeparted | ShipmentCancelled
> => {
  const reference = event.shipmentId === null ? event.shipmentNumber : String(event.shipmentId)
  if (reference !== "" && snapshot.namedShipment === null) {
    return Result.fail(new ShipmentNotFound({ id: clip(reference) }))
  }
  const guess = snapshot.byLpn ?? snapshot.departed ?? snapshot.atDock
  const shipment = reference === "" ? guess : snapshot.namedShipment
  if (shipment === null) {
    return Result.fail(new PalletNotMatched({ lpn: lpnOf(event.labels), dockSlug: event.dockSlug }))
  }
  const refusal = finalityOf(shipment)
  const { departure } = shipment
  if (departure !== null && (reference === "" || event.occurredAt <= departure.at)) {
    if (takesLate(departure, snapshot.now, times)) return Result.succeed(shipment)
  }
  return refusal === undefined ? Result.succeed(shipment) : Result.fail(refusal)
}

const planPallet = (
  event: PalletEvent,
  dock: Dock,
  shipment: PalletShipment,
  snapshot: PalletSnapshot,
  { clientId, dashboardUrl }: Pick<PalletContext, "clientId" | "dashboardUrl">
): PalletPlan => {
  const { business, facility, direction, occurredAt, labels } = event
  const shipmentId = shipment.id
  const palletId = shipment.palletId ?? snapshot.newPalletId
  const orders = ordersOf(shipment)
  const lpn = lpnOf(labels)
  const isExpected = shipment.ordersWithLpn.length > 0
  const isArriving = shipment.status === "SCHEDULED"
  const isEarlier = shipment.arrivedAt !== null && occurredAt < shipment.arrivedAt
  const place = { ...shipment, business, facility, dock: isArriving ? dock : shipment.dock }
  const sighting = { business, facility, shipmentId, palletId, direction, orders, dock, labels }
  const late = shipment.departure === null ? undefined : lateChange(shipment.departure, {
    id: palletId,
    lpn,
    sightings: sightAgain(shipment.sightings, direction, occurredAt, dock.id),
    dock,
    elsewhere: shipment.elsewhere
  })
  const facts = { occurredAt, dashboardUrl }
  const verdict = verdictOf(event, dock, {
    shipment: place,
    lpn,
    isExpected,
    elsewhere: shipment.elsewhere,
    sightings: shipment.sightings
  })
  const payload = palletPayload(sighting, occurredAt, { dashboardUrl, fieldMap: snapshot.fieldMap })
  return {
    shipmentId,
    palletId,
    isNewPallet: shipment.palletId === null,
    lpn,
    isExpected,
    arrivedAt: isArriving || isEarlier ? occurredAt : null,
    arrivedBy: isArriving ? clientId : null,
    elsewhere: late?.elsewhere ?? null,
    dock,
    orders,
    labelText: labels.reduce((sum, { name, value }) => sum + name.length + value.length, 0) +
      orders.reduce((sum, number) => sum + number.length, 0),
    verdict: late === undefined ? verdict : { ...verdict, late: true },
    notes: notesOf(event).notes,
    messages: [
      ...(isArriving ? [shipmentMessage("SHIPMENT_ARRIVED", place, facts)] : []),
      draftOf("PALLET_EVENT", place, late === undefined ? payload : { ...payload, [lateFieldName]: true }),
      ...(late?.discrepancies === undefined
        ? []
        : [discrepanciesMessage(place, { ...facts, occurredAt: snapshot.now }, late.discrepancies)])
    ]
  }
}

/** The answer to an event that was recorded with this plan. */
export const palletAnswer = (plan: PalletPlan, messageId: MessageId): PalletAnswer => ({
  messageId,
  serviceShipmentId: String(plan.shipmentId),
  servicePalletId: String(plan.palletId),
  orders: plan.orders,
  verdict: plan.verdict,
  ...(plan.notes === undefined ? {} : { notes: plan.notes })
})

/** Settings for the messages about pallets and departures. */
export interface MovementConfig {
  /** The customers' dashboard, to which the messages link. */
  readonly dashboardUrl: string
}

/** The default: a dashboard on this machine. */
export const defaultMovementConfig: MovementConfig = { dashboardUrl: "http://localhost:8080/dashboard" }

/** The dashboard's URL, to which paths are appended. */
export const dashboardOf = ({ dashboardUrl }: MovementConfig): string => withoutSlashes(dashboardUrl)

/** The settings in force; {@link defaultMovementConfig} unless provided. */
export const MovementSettings: Context.Reference<MovementConfig> = Context.Reference(
  "@dockline/core/movement/MovementSettings",
  { defaultValue: () => defaultMovementConfig }
)

/** A step of a shipment. */
export interface Step {
  readonly shipmentId: ShipmentId
  /** `""` when the step names no dock. */
  readonly dockSlug: string
  /** Whether the decision needs the shipment's pallet events. */
  readonly withPallets: boolean
}

/**
 * Port: stores pallets and steps. Each method loads a snapshot under locks, lets core decide, and applies the plan with its message in one
 * transaction (D6, D7.1).
 *
 * Guarantee: changes of one shipment, including those by documents, behave as if they came one after another. A repeated event gets the
 * record of the first event with its id, even if several arrive at once. Consumers of the message log are woken after the commit. `decide`
 * is pure and may be called again when the transaction is repeated; it is not called when the key of `keep` is not free (D5.2).
 */
export class MovementStore extends Context.Service<MovementStore, {
  /**
   * Records a pallet event. `text` is the event's whole content, which distinguishes a repeat from another event with the same id. A store
   * may leave out parts of the snapshot that cannot matter. It may leave out the shipments after the first one that exists, in the order
   * `namedShipment`, `byLpn`, `departed`, `atDock`. When the event id is already recorded, it may leave out everything but `earlierEvent`,
   * the business and the facility.
   */
  readonly recordPallet: <E, F = never>(
    event: PalletEvent,
    text: string,
    decide: (snapshot: PalletSnapshot) => Result.Result<PalletDecision, E>,
    keep?: Keep<RecordedEvent, F> | undefined
  ) => Effect.Effect<RecordedEvent, E | F | StorageUnavailable>
  /** Applies a step to a shipment and returns its new state; `null` when the shipment does not exist. */
  readonly step: <E, F = never>(
    step: Step,
    decide: (snapshot: StepSnapshot) => Result.Result<StepPlan, E>,
    keep?: Keep<LocatedShipment | null, F> | undefined
  ) => Effect.Effect<LocatedShipment | null, E | F | StorageUnavailable>
  /** Links two shipments with each other, if `decide` permits it; returns the new state of the first. */
  readonly link: <E, F = never>(
    shipmentId: ShipmentId,
    linkedShipmentId: ShipmentId,
    decide: (snapshot: LinkSnapshot) => Result.Result<LinkPlan, E>,
    keep?: Keep<LocatedShipment | null, F> | undefined
  ) => Effect.Effect<LocatedShipment | null, E | F | StorageUnavailable>
}>()("@dockline/core/movement/MovementStore") {}
