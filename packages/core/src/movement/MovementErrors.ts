/**
 * The errors of pallet events, steps and links. A `…Refusal` comes from a decision, a `…Error` also from its service and its storage.
 */
import { placeErrors } from "../places/Authorize.ts"
import type { ErrorOf } from "../values/CatalogueError.ts"
import * as Errors from "../values/Errors.ts"
import { Overloaded } from "../values/RequestErrors.ts"

/** The errors of a pallet event (D6). */
export const palletErrors = [
  ...placeErrors,
  Errors.InvalidRequest,
  Errors.UnknownDock,
  Errors.EventIdReused,
  Errors.ShipmentNotFound,
  Errors.PalletNotMatched,
  Errors.ShipmentDeparted,
  Errors.ShipmentCancelled,
  Errors.TooManyPalletEvents
] as const
/** One of {@link palletErrors}. */
export type PalletError = ErrorOf<typeof palletErrors>
/** The errors of a pallet event when its client has the permission and the storage is available. */
export type PalletRefusal = Exclude<PalletError, Errors.Forbidden | Errors.StorageUnavailable>

const departRefusals = [Errors.ShipmentNotFound, Errors.Forbidden, Errors.InvalidTransition] as const

/** The errors of a step of a shipment: arrival, departure, check-in, cancellation (D6.5, D13.9, D17.3). */
export const stepErrors = [
  ...departRefusals,
  Errors.InvalidRequest,
  Errors.UnknownDock,
  Overloaded,
  Errors.StorageUnavailable
] as const
/** One of {@link stepErrors}. */
export type StepError = ErrorOf<typeof stepErrors>
/** The errors of a step when the storage is available. */
export type StepRefusal = Exclude<StepError, Errors.StorageUnavailable>

/** The errors of a link of two shipments (D6.5). */
export const linkErrors = [
  Errors.ShipmentNotFound,
  Errors.Forbidden,
  Errors.InvalidRequest,
  Errors.ShipmentDeparted,
  Errors.ShipmentCancelled,
  Errors.TooManyLinks,
  Overloaded,
  Errors.StorageUnavailable
] as const
/** One of {@link linkErrors}. */
export type LinkError = ErrorOf<typeof linkErrors>
/** The errors of a link when the storage is available. */
export type LinkRefusal = Exclude<LinkError, Errors.StorageUnavailable>
