/**
 * Why pallet events, steps and links are refused. A `…Refusal` comes from a decision; a `…Error` also from its
 * service and its storage.
 */
import { placeErrors } from "../places/Authorize.ts"
import type { ErrorOf } from "../values/CatalogueError.ts"
import * as Errors from "../values/Errors.ts"
import { Overloaded } from "../values/RequestErrors.ts"

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
export type PalletError = ErrorOf<typeof palletErrors>
export type PalletRefusal = Exclude<PalletError, Errors.Forbidden | Errors.StorageUnavailable>

export const departRefusals = [Errors.ShipmentNotFound, Errors.Forbidden, Errors.InvalidTransition] as const

export const stepErrors = [
  ...departRefusals,
  Errors.InvalidRequest,
  Errors.UnknownDock,
  Overloaded,
  Errors.StorageUnavailable
] as const
export type StepError = ErrorOf<typeof stepErrors>
export type StepRefusal = Exclude<StepError, Errors.StorageUnavailable>

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
export type LinkError = ErrorOf<typeof linkErrors>
export type LinkRefusal = Exclude<LinkError, Errors.StorageUnavailable>
