/**
 * Port: stores the exceptions of shipments. A change loads a snapshot under a lock of the shipment, lets core decide, and
 * writes in one transaction (D13.5).
 *
 * Guarantee: reports and resolutions of one shipment behave as if they came one after another. `decide` is pure and may be
 * called again when the transaction is repeated.
 */
import { Context, Effect, Result } from "effect"
import type { Location } from "../places/Place.ts"
import type { StorageUnavailable } from "../values/Errors.ts"
import type { Page, PageRequest } from "../values/Page.ts"
import type { ReportSnapshot, ResolveSnapshot } from "./ExceptionRules.ts"
import type { ExceptionDraft, LocatedException, Resolution, ShipmentException } from "./ShipmentException.ts"

/** A page of the exceptions of a shipment. */
export interface ExceptionsOfShipment {
  readonly location: Location
  readonly page: Page<ShipmentException>
}

/** Stores the exceptions of shipments. */
export class ExceptionStore extends Context.Service<ExceptionStore, {
  /** Adds an exception to a shipment, of one of its pallets or of the whole; `null` when there is no such shipment. */
  readonly report: <E>(
    shipmentId: number,
    palletId: number | null,
    decide: (snapshot: ReportSnapshot) => Result.Result<ExceptionDraft, E>
  ) => Effect.Effect<LocatedException | null, E | StorageUnavailable>
  /** Resolves an exception, if `decide` says so, and returns it; `null` when there is no such shipment. */
  readonly resolve: <E>(
    shipmentId: number,
    exceptionId: number,
    decide: (snapshot: ResolveSnapshot) => Result.Result<Resolution | null, E>
  ) => Effect.Effect<LocatedException | null, E | StorageUnavailable>
  /** The exceptions of a shipment in id order, and where it belongs; `null` when there is no such shipment. */
  readonly ofShipment: (
    shipmentId: number,
    page: PageRequest
  ) => Effect.Effect<ExceptionsOfShipment | null, StorageUnavailable>
}>()("@dockline/core/ExceptionStore") {}
