/**
 * Why pallet events, steps and links are refused. A `…Refusal` comes from a decision; a `…Error` also from its
 * service and its storage.
 */
import { placeErrors } from "../places/Authorize.ts"
import type { ErrorOf } from "../values/CatalogueError.ts"
import * as Errors from "../values/Errors.ts"
import { Overloaded } from "../values/RequestErrors.ts"

/** Why a pallet event is refused (D6). */
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
/** Why a pallet event is refused although its client has the permission and the storage is there. */
export type PalletRefusal = Exclude<PalletError, Errors.Forbidden | Errors.StorageUnavailable>

const departRefusals = [Errors.ShipmentNotFound, Errors.Forbidden, Errors.InvalidTransition] as const

/** Why a step of a shipment is refused: arrival, departure, check-in, cancellation (D6.5, D13.9, D17.3). */
export const stepErrors = [
  ...departRefusals,
  Errors.InvalidRequest,
  Errors.UnknownDock,
  Overloaded,
  Errors.StorageUnavailable
] as const
/** One of {@link stepErrors}. */
export type StepError = ErrorOf<typeof stepErrors>
/** Why a step is refused although the storage is there. */
export type StepRefusal = Exclude<StepError, Errors.StorageUnavailable>

/** Why a link of two shipments is refused (D6.5). */
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
/** Why a link is refused although the storage is there. */
export type LinkRefusal = Exclude<LinkError, Errors.StorageUnavailable>
