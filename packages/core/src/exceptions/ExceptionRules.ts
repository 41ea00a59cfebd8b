/**
 * Decides reports and resolutions of exceptions (D13.5), and makes the messages about them, with their types (D15.1).
 *
 * Guarantee: a client learns nothing about shipments that it may not see. A repeated resolution changes nothing.
 */
import { Result, Schema } from "effect"
import type { Principal } from "../access/Access.ts"
import type { Message } from "../capability/Capability.ts"
import { isSameLpn } from "../labels/Lpn.ts"
import type { MessageDraft } from "../messages/Message.ts"
import type { MessageShipment } from "../movement/ShipmentMessage.ts"
import { shipmentMessage, shipmentMessageFields } from "../movement/ShipmentMessage.ts"
import { authorize } from "../movement/Steps.ts"
import type { Location } from "../places/Place.ts"
import type { SeenPallet } from "../shipment/Shipment.ts"
import { clip } from "../values/Clip.ts"
import { PalletNotFound } from "../values/Errors.ts"
import type { StorageUnavailable } from "../values/Errors.ts"
import type { ExceptionId } from "../values/Id.ts"
import type { Timestamp } from "../values/Timestamp.ts"
import { noId, noShipment } from "../webhooks/MessageKinds.ts"
import type { AboutNothing } from "../webhooks/MessageKinds.ts"
import recorded from "./answers.json" with { type: "json" }
import {
  ExceptionNotFound,
  exceptionPermissions,
  ExceptionView,
  exceptionView,
  TooManyExceptions
} from "./ShipmentException.ts"
import type {
  LocatedException,
  ReportError,
  ReportInput,
  ResolveError,
  ResolveInput,
  ShipmentException
} from "./ShipmentException.ts"

/** The most exceptions of a shipment, resolved ones included. */
export const maxExceptions = 1000

/** The data that each decision about exceptions of a shipment depends on. */
interface Snapshot {
  readonly now: Timestamp
  readonly location: Location
  readonly shipmentNumber: string
  /** Its dock and its orders, for the message. */
  readonly shipment: Pick<MessageShipment, "dock" | "orders">
}

/** The data that the decision about a report depends on. */
export interface ReportSnapshot extends Snapshot {
  /** The id for a new exception. */
  readonly newExceptionId: ExceptionId
  /** The number of exceptions that the shipment has. */
  readonly exceptions: number
  /** The pallet that the report names, by its id or else by its LPN, if it was seen on the shipment. */
  readonly pallet: Pick<SeenPallet, "id" | "lpn"> | null
}

/** The data that the decision about a resolution depends on. */
export interface ResolveSnapshot extends Snapshot {
  /** `null` when the shipment has no exception with that id. */
  readonly exception: ShipmentException | null
}

/** The writes of a report or a resolution: the new state of the exception, and the message about it. */
export interface ExceptionPlan {
  readonly exception: ShipmentException
  readonly message: MessageDraft
}

/** A request's principal and shipment, and the URL of the dashboard for the link in its message, without a slash at the end. */
export interface Asking {
  readonly shipmentId: string
  readonly principal: Principal
  readonly dashboardUrl: string
}

const planOf = (
  exception: ShipmentException,
  { location, shipment, shipmentNumber }: Snapshot,
  { dashboardUrl, shipmentId }: Asking
): ExceptionPlan => ({
  exception,
  message: exceptionMessage(
    { location, shipmentId: Number(shipmentId), shipmentNumber, exception },
    shipment,
    dashboardUrl
  )
})

const checkAccess = ({ principal, shipmentId }: Asking, snapshot: Snapshot) =>
  authorize(clip(shipmentId), snapshot, principal, exceptionPermissions)

/**
 * Decides a report. If a report names a pallet by id, the pallet must have been seen on the shipment, and must have the report's LPN if the
 * report has an LPN too. A report with only an LPN may be about a pallet that nobody has seen, such as a missing pallet.
 */
export const decideReport = (
  { description, kind, lpn = "", palletId = "", priority }: ReportInput,
  snapshot: ReportSnapshot,
  asking: Asking
): Result.Result<ExceptionPlan, Exclude<ReportError, StorageUnavailable>> =>
  Result.gen(function*() {
    yield* checkAccess(asking, snapshot)
    const { pallet } = snapshot
    if (palletId !== "" && (pallet === null || (lpn !== "" && !isSameLpn(lpn, pallet.lpn)))) {
      return yield* Result.fail(
        new PalletNotFound({ id: clip(palletId), shipmentId: clip(asking.shipmentId) })
      )
    }
    if (snapshot.exceptions >= maxExceptions) {
      const { shipmentNumber } = snapshot
      return yield* Result.fail(new TooManyExceptions({ shipmentNumber, limit: maxExceptions }))
    }
    const exception = {
      id: snapshot.newExceptionId,
      palletId: pallet?.id ?? null,
      lpn: pallet?.lpn ?? lpn,
      kind,
      priority,
      description,
      reportedAt: snapshot.now,
      reportedBy: asking.principal.clientId,
      resolution: null
    }
    return planOf(exception, snapshot, asking)
  })

/** Decides a resolution; `null` when the exception is already resolved and stays unchanged. */
export const decideResolve = (
  { note }: ResolveInput,
  snapshot: ResolveSnapshot,
  asking: Asking & { readonly exceptionId: string }
): Result.Result<ExceptionPlan | null, Exclude<ResolveError, StorageUnavailable>> =>
  Result.gen(function*() {
    yield* checkAccess(asking, snapshot)
    const { exception, now } = snapshot
    if (exception === null) {
      const { exceptionId: id, shipmentId } = asking
      return yield* Result.fail(new ExceptionNotFound({ id: clip(id), shipmentId: clip(shipmentId) }))
    }
    if (exception.resolution !== null) return null
    const resolution = { note, at: now, by: asking.principal.clientId }
    return planOf({ ...exception, resolution }, snapshot, asking)
  })

/** The payload of a message about an exception. */
const ExceptionMessage = Schema.Struct({
  ...shipmentMessageFields,
  exception: ExceptionView.annotate({ description: "The present state of the exception" })
})

/** The message about a reported exception, or about a resolved one if it has a resolution, with the fields of its shipment. */
const exceptionMessage = (
  exception: LocatedException,
  { dock, orders }: Pick<MessageShipment, "dock" | "orders">,
  dashboardUrl: string
): MessageDraft => {
  const { exception: { reportedAt, resolution }, location, shipmentId: id, shipmentNumber: number } =
    exception
  return shipmentMessage(
    resolution === null ? "EXCEPTION_REPORTED" : "EXCEPTION_RESOLVED",
    { business: location.business.slug, facility: location.facility.slug, id, number, dock, orders },
    { occurredAt: resolution?.at ?? reportedAt, dashboardUrl },
    { exception: exceptionView(exception) }
  )
}

const testException = (isResolved: boolean): AboutNothing => (place, now, { dashboardUrl }) => {
  const { business, dock, facility, id: shipmentId, number: shipmentNumber, orders } = noShipment(place)
  const location = {
    business: { slug: business, name: business },
    facility: { slug: facility, name: facility }
  }
  const exception: ShipmentException = {
    id: noId,
    palletId: null,
    lpn: "",
    kind: "OTHER",
    priority: "LOW",
    description: "",
    reportedAt: now,
    reportedBy: "",
    resolution: isResolved ? { note: "", at: now, by: "" } : null
  }
  return exceptionMessage({ location, shipmentId, shipmentNumber, exception }, { dock, orders }, dashboardUrl)
    .payload
}

/** The types of messages about exceptions. */
export const exceptionMessages = {
  EXCEPTION_REPORTED: {
    name: "ExceptionReportedMessage",
    title: "Exception-reported message",
    about: "A problem with a shipment or a pallet was reported",
    when: "A problem with a shipment or one of its pallets, such as damage, was reported.",
    schema: ExceptionMessage,
    aboutNothing: testException(false),
    example: recorded.payloads.EXCEPTION_REPORTED
  },
  EXCEPTION_RESOLVED: {
    name: "ExceptionResolvedMessage",
    title: "Exception-resolved message",
    about: "A reported problem is resolved",
    when: "A reported problem with a shipment is resolved.",
    schema: ExceptionMessage,
    aboutNothing: testException(true),
    example: recorded.payloads.EXCEPTION_RESOLVED
  }
} as const satisfies Readonly<Record<string, Message>>
