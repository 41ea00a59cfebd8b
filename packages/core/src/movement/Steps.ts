/**
 * Decides the steps of a shipment: arrival, departure, links, cancellation, check-in (D6.5, D6.6, D13.9, D17.3), and computes the shipment
 * after them. A client learns nothing about shipments that it may not see. Repeating a step changes nothing.
 */
import { Result } from "effect"
import { allowsAny, canRead } from "../access/Access.ts"
import type { Permission, Principal } from "../access/Access.ts"
import type { Location } from "../places/Place.ts"
import { defaultReportedTimes, isNoted, noteStep, timeAfter } from "../shipment/CheckIn.ts"
import type { ReportedTimeSettings } from "../shipment/CheckIn.ts"
import { discrepanciesOf, expectedLpns } from "../shipment/Discrepancies.ts"
import { isOpen } from "../shipment/Shipment.ts"
import type { LocatedShipment, Order, StepClients } from "../shipment/Shipment.ts"
import {
  Forbidden,
  InvalidRequest,
  InvalidTransition,
  ShipmentNotFound,
  TooManyLinks,
  UnknownDock
} from "../values/Errors.ts"
import type { Timestamp } from "../values/Timestamp.ts"
import type { CheckInStep, OrderStatus, ShipmentMilestone, ShipmentStatus } from "../values/Vocabulary.ts"
import { finalityOf } from "./Movement.ts"
import type { LinkPlan, LinkSnapshot, StepChange, StepPlan, StepSnapshot } from "./Movement.ts"
import { trackedPallets } from "./Pallet.ts"
import {
  completionPayload,
  discrepanciesMessage,
  draftOf,
  messageShipment,
  shipmentMessage
} from "./ShipmentMessage.ts"
import type {
  ArrivalInput,
  CheckInInput,
  DepartureInput,
  LinkRefusal,
  StepRefusal
} from "./ShipmentOperations.ts"
import { cancelShipment, checkInShipment } from "./ShipmentOperations.ts"

/** The most links of a shipment (D6.5). */
export const maxLinks = 100

/**
 * Returns the entity if the client has one of the permissions at its facility. `id` is the id of its shipment. A shipment that the client
 * may not see counts as missing.
 */
export const authorize = <Entity extends { readonly location: Location }>(
  id: string,
  entity: Entity | null,
  principal: Principal,
  permissions: ReadonlyArray<Permission> = ["shipments:write"]
): Result.Result<Entity, ShipmentNotFound | Forbidden> => {
  const missing = Result.fail(new ShipmentNotFound({ id }))
  if (entity === null) return missing
  const [business, facility] = [entity.location.business.slug, entity.location.facility.slug]
  if (!canRead(principal, business, facility)) return missing
  return allowsAny(principal, permissions, business, facility)
    ? Result.succeed(entity)
    : Result.fail(new Forbidden({ permission: permissions.join(" or "), business, facility }))
}

const authorizeStep = (
  { match }: StepSnapshot,
  principal: Principal,
  permissions?: ReadonlyArray<Permission>
) => authorize(String(match.shipment.id), match, principal, permissions)

const outOfOrder = ({ shipment }: LocatedShipment, to: ShipmentStatus | CheckInStep) =>
  Result.fail(new InvalidTransition({ shipmentNumber: shipment.number, from: shipment.status, to }))

/** The principal of a step, the dashboard's URL for links in messages, without a slash at the end, and the limits of reported times. */
export interface StepContext {
  readonly principal: Principal
  readonly dashboardUrl: string
  readonly times?: ReportedTimeSettings
}

/** Decides an arrival, by default now and at the expected dock. */
export const decideArrive = (
  { occurredAt, dockSlug = "" }: ArrivalInput,
  snapshot: StepSnapshot,
  { dashboardUrl, principal, times = defaultReportedTimes }: StepContext
): Result.Result<StepPlan, StepRefusal> =>
  Result.flatMap(authorizeStep(snapshot, principal), (match): Result.Result<StepPlan, StepRefusal> => {
    const { now, dock } = snapshot
    if (dockSlug !== "" && dock === null) {
      return Result.fail(new UnknownDock({ dockSlug, facility: match.location.facility.slug }))
    }
    const { checkIn, status } = match.shipment
    if (status === "DEPARTED" || status === "CANCELLED") return outOfOrder(match, "ARRIVED")
    if (status === "ARRIVED") return Result.succeed({ _tag: "Unchanged" })
    const arrivedAt = timeAfter(checkIn.AT_FACILITY ?? null, { occurredAt, now, times, other: "AT_FACILITY" })
    if (Result.isFailure(arrivedAt)) return Result.fail(arrivedAt.failure)
    const arrived = { arrivedAt: arrivedAt.success, dock: dock ?? match.shipment.dock }
    const content = { ...messageShipment(match), dock: arrived.dock }
    return Result.succeed({
      _tag: "Arrive",
      clientId: principal.clientId,
      ...arrived,
      messages: [
        shipmentMessage("SHIPMENT_ARRIVED", content, { occurredAt: arrived.arrivedAt, dashboardUrl })
      ]
    })
  })

/** Decides a departure, by default now, which completes the shipment. If there are discrepancies, a message lists them. */
export const decideDepart = (
  { occurredAt }: DepartureInput,
  snapshot: StepSnapshot,
  { dashboardUrl, principal, times = defaultReportedTimes }: StepContext
): Result.Result<StepPlan, StepRefusal> =>
  Result.flatMap(authorizeStep(snapshot, principal), (match): Result.Result<StepPlan, StepRefusal> => {
    const { elsewhere, now, pallets, fieldMap } = snapshot
    const { direction, dock, status } = match.shipment
    if (status === "DEPARTED") return Result.succeed({ _tag: "Unchanged" })
    if (status !== "ARRIVED") return outOfOrder(match, "DEPARTED")
    const [last, other] = lastBefore(match, pallets)
    const departed = timeAfter(last, { occurredAt, now, times, other })
    if (Result.isFailure(departed)) return Result.fail(departed.failure)
    const departedAt = departed.success
    const shipment = messageShipment(match)
    const completion = completionPayload(match, pallets, { dashboardUrl, fieldMap })
    const complete = draftOf("SHIPMENT_COMPLETE", shipment, completion)
    const discrepancies = discrepanciesOf({
      direction,
      status: "DEPARTED",
      dock,
      expectedLpns: Array.from(expectedLpns(match.shipment).values()),
      pallets: trackedPallets(pallets),
      elsewhere
    })
    const content = { occurredAt: departedAt, dashboardUrl }
    return Result.succeed({
      _tag: "Depart",
      clientId: principal.clientId,
      departedAt,
      elsewhere,
      messages: discrepancies.length === 0
        ? [complete]
        : [complete, discrepanciesMessage(shipment, content, discrepancies)]
    })
  })

/** The latest event that must precede a departure (D21.3): its time and its description. */
const lastBefore = (
  { shipment: { arrivedAt, checkIn } }: LocatedShipment,
  pallets: StepSnapshot["pallets"]
): readonly [at: Timestamp | null, what: string] => {
  const all: ReadonlyArray<readonly [Timestamp | null | undefined, string]> = [
    [checkIn.DOOR_ASSIGNED, "DOOR_ASSIGNED"],
    ...pallets.map(({ occurredAt }) => [occurredAt, "a pallet that has passed"] as const)
  ]
  return all.reduce<readonly [Timestamp | null, string]>(
    (last, [at, what]) => at && at > (last[0] ?? "") ? [at, what] : last,
    [arrivedAt, "the arrival"]
  )
}

/** Decides a cancellation (D13.9). It refuses a shipment that is linked or has arrived, and so every shipment with pallets. */
export const decideCancel = (
  snapshot: StepSnapshot,
  { dashboardUrl, principal }: StepContext
): Result.Result<StepPlan, StepRefusal> =>
  Result.flatMap(
    authorizeStep(snapshot, principal, cancelShipment.may),
    (match): Result.Result<StepPlan, StepRefusal> => {
      const { linkedShipmentIds, status } = match.shipment
      if (status === "CANCELLED") return Result.succeed({ _tag: "Unchanged" })
      if (status !== "SCHEDULED" || linkedShipmentIds.length > 0) return outOfOrder(match, "CANCELLED")
      const content = { occurredAt: snapshot.now, dashboardUrl }
      return Result.succeed({
        _tag: "Cancel",
        clientId: principal.clientId,
        cancelledAt: snapshot.now,
        messages: [shipmentMessage("SHIPMENT_CANCELLED", messageShipment(match), content)]
      })
    }
  )

/**
 * Decides a step of a check-in (D17.3). Customers get no message, because the step concerns the truck and does not change the status of the
 * shipment. DOOR_ASSIGNED sets the dock of the shipment. Once the shipment has arrived, pallets at that dock without a known LPN belong to
 * it.
 */
export const decideCheckIn = (
  { dockSlug = "", occurredAt, step }: CheckInInput,
  snapshot: StepSnapshot,
  { principal, times = defaultReportedTimes }: StepContext
): Result.Result<StepPlan, StepRefusal> =>
  Result.flatMap(
    authorizeStep(snapshot, principal, checkInShipment.may),
    (match): Result.Result<StepPlan, StepRefusal> => {
      const { dock, now } = snapshot
      if (dockSlug !== "" && dock === null) {
        return Result.fail(new UnknownDock({ dockSlug, facility: match.location.facility.slug }))
      }
      const { shipment } = match
      const note = { step, occurredAt, now, dock, times }
      if (isNoted(shipment, note)) return Result.succeed({ _tag: "Unchanged" })
      if (!isOpen(shipment)) return outOfOrder(match, step)
      return Result.map(
        noteStep(shipment, note),
        ({ checkIn, dock }) => ({
          _tag: "CheckIn",
          clientId: principal.clientId,
          step,
          checkIn,
          dock,
          messages: []
        })
      )
    }
  )

/** The shipment after a step. A departure completes the orders of the shipment, and a cancellation cancels them. */
export const evolve = (
  match: LocatedShipment,
  plan: StepChange | { readonly _tag: "Unchanged" }
): LocatedShipment => {
  if (plan._tag === "Unchanged") return match
  const { location, shipment } = inNextVersion(match)
  switch (plan._tag) {
    case "Arrive": {
      const { arrivedAt, dock } = plan
      const stepClients = clientsAfter(match, "ARRIVED", plan)
      return { location, shipment: { ...shipment, status: "ARRIVED", arrivedAt, dock, stepClients } }
    }
    case "Depart": {
      const { departedAt } = plan
      const orders = ordersIn(shipment, "COMPLETED")
      const stepClients = clientsAfter(match, "DEPARTED", plan)
      return { location, shipment: { ...shipment, status: "DEPARTED", departedAt, orders, stepClients } }
    }
    case "CheckIn": {
      const { checkIn, dock } = plan
      return {
        location,
        shipment: { ...shipment, checkIn, dock, stepClients: clientsAfter(match, plan.step, plan) }
      }
    }
    case "Cancel": {
      const { cancelledAt } = plan
      const orders = ordersIn(shipment, "CANCELLED")
      const stepClients = clientsAfter(match, "CANCELLED", plan)
      return { location, shipment: { ...shipment, status: "CANCELLED", cancelledAt, orders, stepClients } }
    }
  }
}

const clientsAfter = (
  { shipment: { stepClients } }: LocatedShipment,
  step: ShipmentMilestone,
  { clientId }: StepChange
): StepClients => ({ ...stepClients, [step]: clientId })

/** A shipment in its next version. */
export const inNextVersion = ({ location, shipment }: LocatedShipment): LocatedShipment => ({
  location,
  shipment: { ...shipment, version: shipment.version + 1 }
})

const ordersIn = ({ orders }: LocatedShipment["shipment"], status: OrderStatus): ReadonlyArray<Order> =>
  orders.map((order) => ({ ...order, status }))

/** The shipment after it is linked to another shipment. The caller links the other shipment in the same way. */
export const linkedTo = (
  match: LocatedShipment,
  other: LocatedShipment
): LocatedShipment => {
  const { location, shipment } = inNextVersion(match)
  const ids = [...shipment.linkedShipmentIds, other.shipment.id].sort((left, right) => left - right)
  return { location, shipment: { ...shipment, linkedShipmentIds: ids } }
}

/** The refusal of a link of a shipment to itself. */
export const linkToItself = (): InvalidRequest => {
  const detail = "must name another shipment; a shipment cannot be linked to itself"
  return new InvalidRequest({ errors: [{ path: "linkedShipmentId", detail }] })
}

/**
 * Decides a link, which needs the permission at the facilities of both shipments. For each other, shipments of different businesses count
 * as missing. The ids are in the form in which the client sent them.
 */
export const decideLink = (
  { id, linkedShipmentId }: { readonly id: string; readonly linkedShipmentId: string },
  snapshot: LinkSnapshot,
  principal: Principal
): Result.Result<LinkPlan, LinkRefusal> => {
  if (id === linkedShipmentId) return Result.fail(linkToItself())
  const first = authorize(id, snapshot.shipment, principal)
  const second = authorize(linkedShipmentId, snapshot.target, principal)
  // A missing shipment is reported before a missing permission.
  for (const each of [first, second]) {
    if (Result.isFailure(each) && each.failure._tag === "ShipmentNotFound") return Result.fail(each.failure)
  }
  if (snapshot.shipment?.location.business.slug !== snapshot.target?.location.business.slug) {
    return Result.fail(new ShipmentNotFound({ id: linkedShipmentId }))
  }
  if (Result.isFailure(first)) return Result.fail(first.failure)
  if (Result.isFailure(second)) return Result.fail(second.failure)
  const both = [first.success.shipment, second.success.shipment] as const
  if (both[0].linkedShipmentIds.includes(both[1].id)) return Result.succeed({ _tag: "Unchanged" })
  const final = finalityOf(both[0]) ?? finalityOf(both[1])
  if (final !== undefined) return Result.fail(final)
  const full = both.find(({ linkedShipmentIds }) => linkedShipmentIds.length >= maxLinks)
  return full === undefined
    ? Result.succeed({ _tag: "Link" })
    : Result.fail(new TooManyLinks({ shipmentNumber: full.number, limit: maxLinks }))
}
