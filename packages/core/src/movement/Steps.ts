/**
 * The decisions about the steps of a shipment, whole and pure: arrival, departure, links (D6.5, D6.6).
 *
 * Guarantee: a client learns nothing of a shipment that it may not see; repeating a step changes nothing.
 */
import { Result } from "effect"
import { allows, canRead } from "../access/Access.ts"
import type { Principal } from "../access/Access.ts"
import type { LocatedShipment } from "../shipment/Shipment.ts"
import {
  Forbidden,
  InvalidRequest,
  InvalidTransition,
  ShipmentDeparted,
  ShipmentNotFound,
  TooManyLinks,
  UnknownDock
} from "../values/Errors.ts"
import type { Timestamp } from "../values/Timestamp.ts"
import type { ShipmentStatus } from "../values/Vocabulary.ts"
import type { LinkPlan, LinkSnapshot, StepPlan, StepSnapshot } from "./Movement.ts"
import { completionPayload } from "./Payload.ts"

/** Why a step is refused. */
export type StepRefusal = ShipmentNotFound | Forbidden | UnknownDock | InvalidTransition

/** Why a link is refused. */
export type LinkRefusal = ShipmentNotFound | Forbidden | InvalidRequest | ShipmentDeparted | TooManyLinks

/** What an arrival says; `""` names no dock. */
export interface Arrival {
  readonly occurredAt: Timestamp | undefined
  readonly dockSlug: string
}

/** What a departure says. */
export interface Departure {
  readonly occurredAt: Timestamp | undefined
}

/** The most shipments that one is linked to. */
export const maxLinks = 100

/** The shipment, when the client may move it: one that it may not see is not there. */
export const authorize = (
  id: string,
  found: LocatedShipment | null,
  principal: Principal
): Result.Result<LocatedShipment, ShipmentNotFound | Forbidden> => {
  if (found === null) return Result.fail(new ShipmentNotFound({ id }))
  const business = found.location.business.slug
  const facility = found.location.facility.slug
  if (!canRead(principal, business, facility)) return Result.fail(new ShipmentNotFound({ id }))
  return allows(principal, "shipments:write", business, facility)
    ? Result.succeed(found)
    : Result.fail(new Forbidden({ permission: "shipments:write", business, facility }))
}

const authorizeStep = ({ found }: StepSnapshot, principal: Principal) =>
  authorize(String(found.shipment.id), found, principal)

const outOfOrder = ({ shipment }: LocatedShipment, to: ShipmentStatus) =>
  Result.fail(new InvalidTransition({ shipmentNumber: shipment.number, from: shipment.status, to }))

/** Decides an arrival: now unless it says when; at the dock it names, else where the shipment was expected. */
export const decideArrive = (
  { occurredAt, dockSlug }: Arrival,
  snapshot: StepSnapshot,
  principal: Principal
): Result.Result<StepPlan, StepRefusal> =>
  Result.flatMap(authorizeStep(snapshot, principal), (found): Result.Result<StepPlan, StepRefusal> => {
    const { now, dock } = snapshot
    if (dockSlug !== "" && dock === null) {
      return Result.fail(new UnknownDock({ dockSlug, facility: found.location.facility.slug }))
    }
    const { status } = found.shipment
    if (status === "DEPARTED") return outOfOrder(found, "ARRIVED")
    return Result.succeed(
      status === "ARRIVED"
        ? { _tag: "Unchanged" }
        : { _tag: "Arrive", arrivedAt: occurredAt ?? now, dock: dock ?? found.shipment.dock }
    )
  })

/** Decides a departure, which completes the shipment: now unless it says when. */
export const decideDepart = (
  { occurredAt }: Departure,
  snapshot: StepSnapshot,
  { principal, dashboardUrl }: { readonly principal: Principal; readonly dashboardUrl: string }
): Result.Result<StepPlan, StepRefusal> =>
  Result.flatMap(authorizeStep(snapshot, principal), (found): Result.Result<StepPlan, StepRefusal> => {
    const { now, pallets, fieldMap } = snapshot
    const { id, status } = found.shipment
    if (status === "DEPARTED") return Result.succeed({ _tag: "Unchanged" })
    if (status === "SCHEDULED") return outOfOrder(found, "DEPARTED")
    return Result.succeed({
      _tag: "Depart",
      departedAt: occurredAt ?? now,
      message: {
        business: found.location.business.slug,
        facility: found.location.facility.slug,
        type: "SHIPMENT_COMPLETE",
        payload: completionPayload(found, pallets, { dashboardUrl, fieldMap }),
        shipmentId: id
      }
    })
  })

/** The shipments to be linked, by id as the client wrote it. */
export interface LinkIds {
  readonly id: string
  readonly linkedShipmentId: string
}

/** The refusal of a link from a shipment to itself. */
export const linkToItself = (): InvalidRequest => {
  const detail = "must name another shipment; a shipment cannot be linked to itself"
  return new InvalidRequest({ errors: [{ path: "linkedShipmentId", detail }] })
}

/**
 * Decides a link, which holds for both shipments and needs the permission at both. Shipments of two businesses cannot
 * be linked: to each other they do not exist.
 */
export const decideLink = (
  { id, linkedShipmentId }: LinkIds,
  snapshot: LinkSnapshot,
  principal: Principal
): Result.Result<LinkPlan, LinkRefusal> => {
  if (id === linkedShipmentId) return Result.fail(linkToItself())
  const first = authorize(id, snapshot.shipment, principal)
  const second = authorize(linkedShipmentId, snapshot.linked, principal)
  // What is not there is told before what is not allowed.
  for (const each of [first, second]) {
    if (Result.isFailure(each) && each.failure._tag === "ShipmentNotFound") return Result.fail(each.failure)
  }
  if (snapshot.shipment?.location.business.slug !== snapshot.linked?.location.business.slug) {
    return Result.fail(new ShipmentNotFound({ id: linkedShipmentId }))
  }
  return Result.flatMap(
    first,
    ({ shipment }) =>
      Result.flatMap(second, (linked): Result.Result<LinkPlan, LinkRefusal> => {
        if (shipment.linkedShipmentIds.includes(linked.shipment.id)) {
          return Result.succeed({ _tag: "Unchanged" })
        }
        for (const { status, number } of [shipment, linked.shipment]) {
          if (status === "DEPARTED") return Result.fail(new ShipmentDeparted({ shipmentNumber: number }))
        }
        for (const { linkedShipmentIds, number } of [shipment, linked.shipment]) {
          if (linkedShipmentIds.length >= maxLinks) {
            return Result.fail(new TooManyLinks({ shipmentNumber: number, limit: maxLinks }))
          }
        }
        return Result.succeed({ _tag: "Link" })
      })
  )
}
