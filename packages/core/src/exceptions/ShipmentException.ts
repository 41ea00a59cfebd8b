/**
 * Exceptions: what people report to be wrong with a shipment or one of its pallets, such as damage (D13.5).
 */
import { writePermissions } from "../access/Access.ts"
import type { Location } from "../places/Place.ts"
import { CatalogueError } from "../values/CatalogueError.ts"
import type { ErrorOf } from "../values/CatalogueError.ts"
import { nameText } from "../values/Clip.ts"
import * as Errors from "../values/Errors.ts"
import type { Timestamp } from "../values/Timestamp.ts"

/** The kinds of exceptions. */
export const exceptionKinds = ["DAMAGED", "SHORT", "OVER", "OTHER"] as const

/** A kind of exceptions. */
export type ExceptionKind = (typeof exceptionKinds)[number]

/** How soon somebody must look at an exception. */
export const exceptionPriorities = ["LOW", "HIGH"] as const

/** How soon somebody must look at an exception. */
export type ExceptionPriority = (typeof exceptionPriorities)[number]

/** The states of exceptions, in the only order in which an exception passes them. */
export const exceptionStatuses = ["OPEN", "RESOLVED"] as const

/** A state of exceptions. */
export type ExceptionStatus = (typeof exceptionStatuses)[number]

/** An exception of a shipment. */
export interface ShipmentException {
  readonly id: number
  /** `null` for an exception of the whole shipment, or of a pallet that no tower has seen there. */
  readonly palletId: number | null
  /** Of the pallet, seen or not; `""` for the whole shipment, and for a pallet without an LPN. */
  readonly lpn: string
  readonly kind: ExceptionKind
  readonly priority: ExceptionPriority
  readonly description: string
  readonly reportedAt: Timestamp
  /** The client that reported it. */
  readonly reportedBy: string
  /** `null` while it is open. */
  readonly resolution: Resolution | null
}

/** How an exception was resolved, when, and by which client. */
export interface Resolution {
  readonly note: string
  readonly at: Timestamp
  readonly by: string
}

/** An exception with the place and the shipment that it belongs to. */
export interface LocatedException {
  readonly location: Location
  readonly shipmentId: number
  readonly shipmentNumber: string
  readonly exception: ShipmentException
}

/** Whether an exception is resolved. */
export const statusOf = ({ resolution }: ShipmentException): ExceptionStatus =>
  resolution === null ? "OPEN" : "RESOLVED"

/** Each of these permissions suffices: who sends documents, sees pallets or moves shipments sees what is wrong. */
export const exceptionPermissions = writePermissions

/** The shipment has no exception of that id (D13.5). */
export class ExceptionNotFound extends CatalogueError("EXCEPTION_NOT_FOUND", "notFound", {
  when: "the shipment has no exception with that id",
  example: { id: "12", shipmentId: "4711" },
  message: ({ id, shipmentId }) => `Unknown exception: ${nameText(id)} of shipment ${nameText(shipmentId)}`
}) {}

/** The shipment has as many exceptions as it can have (D13.5). */
export class TooManyExceptions extends CatalogueError("TOO_MANY_EXCEPTIONS", "conflict", {
  when: "the shipment has as many exceptions as it can have, resolved ones included",
  example: { shipmentNumber: "SHP-1001", limit: 1000 },
  message: ({ code, shipmentNumber, limit }) =>
    `${code}: shipmentNumber=${shipmentNumber}; a shipment has at most ${limit} exceptions`
}) {}

/** Why a report is refused. */
export const reportErrors = [
  Errors.ShipmentNotFound,
  Errors.PalletNotFound,
  Errors.Forbidden,
  TooManyExceptions,
  Errors.StorageUnavailable
] as const
/** Why a report is refused. */
export type ReportError = ErrorOf<typeof reportErrors>

/** Why a resolution is refused. */
export const resolveErrors = [
  Errors.ShipmentNotFound,
  ExceptionNotFound,
  Errors.Forbidden,
  Errors.StorageUnavailable
] as const
/** Why a resolution is refused. */
export type ResolveError = ErrorOf<typeof resolveErrors>
