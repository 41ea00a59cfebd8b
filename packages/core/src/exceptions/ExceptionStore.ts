/**
 * Port: stores the exceptions of shipments. A change loads a snapshot under a lock of the shipment, lets core decide, and
 * writes with the message in one transaction (D13.5, D15.1).
 *
 * Guarantee: reports and resolutions of one shipment behave as if they came one after another. `decide` is pure and may be
 * called again when the transaction is repeated; it is not called when the key of `keep` is taken (D5.2).
 */
import { Context, Effect, Result } from "effect"
import type { ReadScope } from "../access/Access.ts"
import type { Keep } from "../access/Keep.ts"
import type { PageOfShipment, PlaceFilter } from "../shipment/ShipmentStore.ts"
import type { StorageUnavailable } from "../values/Errors.ts"
import type { NewestPageRequest, Page, PageRequest } from "../values/Page.ts"
import type { ExceptionPlan, ReportSnapshot, ResolveSnapshot } from "./ExceptionRules.ts"
import type { ExceptionPriority, ExceptionStatus, LocatedException } from "./ShipmentException.ts"

/** Which pallet a report names: by the id of one that was seen, else by an LPN; the whole shipment by neither. */
export interface ReportedPallet {
  readonly palletId: number | null
  readonly lpn: string
}

/** Narrows a list of exceptions; `undefined` does not narrow. */
export interface ExceptionFilter extends PlaceFilter {
  readonly status: ExceptionStatus | undefined
  readonly priority: ExceptionPriority | undefined
}

/** A facility, by its slugs. */
export interface ExceptionPlace {
  readonly business: string
  readonly facility: string
}

/** How many exceptions a shipment has. */
export interface ExceptionCounts {
  readonly shipmentId: number
  /** All of them. */
  readonly reported: number
  /** Those that are not resolved. */
  readonly open: number
  /** The open ones of high priority. */
  readonly urgent: number
}

/** Stores the exceptions of shipments. */
export class ExceptionStore extends Context.Service<ExceptionStore, {
  /** Adds an exception to a shipment, of one of its pallets or of the whole; `null` when there is no such shipment. */
  readonly report: <E, F = never>(
    shipmentId: number,
    about: ReportedPallet,
    decide: (snapshot: ReportSnapshot) => Result.Result<ExceptionPlan, E>,
    keep?: Keep<LocatedException | null, F> | undefined
  ) => Effect.Effect<LocatedException | null, E | F | StorageUnavailable>
  /** Resolves an exception, if `decide` says so, and returns it; `null` when there is no such shipment. */
  readonly resolve: <E, F = never>(
    shipmentId: number,
    exceptionId: number,
    decide: (snapshot: ResolveSnapshot) => Result.Result<ExceptionPlan | null, E>,
    keep?: Keep<LocatedException | null, F> | undefined
  ) => Effect.Effect<LocatedException | null, E | F | StorageUnavailable>
  /** The exceptions of a shipment in id order; `null` when there is no such shipment. `reader`: as in `ShipmentStore`. */
  readonly ofShipment: (
    shipmentId: number,
    page: PageRequest,
    reader: ReadonlyArray<ReadScope>
  ) => Effect.Effect<PageOfShipment<LocatedException> | null, StorageUnavailable>
  /** A page of the exceptions of all shipments within the scopes, newest first: by the time of the report, and then by id. */
  readonly list: (
    scopes: ReadonlyArray<ReadScope>,
    filter: ExceptionFilter,
    page: NewestPageRequest
  ) => Effect.Effect<Page<LocatedException>, StorageUnavailable>
  /** How many exceptions those of these shipments of a facility have that have some. */
  readonly countsOf: (
    place: ExceptionPlace,
    shipmentIds: ReadonlyArray<number>
  ) => Effect.Effect<ReadonlyArray<ExceptionCounts>, StorageUnavailable>
  /** How many exceptions of a facility are open, and how many of these are of high priority, each up to a number. */
  readonly openAt: (
    place: ExceptionPlace,
    atMost: number
  ) => Effect.Effect<Pick<ExceptionCounts, "open" | "urgent">, StorageUnavailable>
}>()("@dockline/core/exceptions/ExceptionStore") {}
