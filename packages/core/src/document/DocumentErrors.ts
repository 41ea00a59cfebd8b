/**
 * Why documents are refused: by a strategy, by the decision, by intake, and before that by the reader of a file.
 */
import type { ErrorOf } from "../values/CatalogueError.ts"
import {
  BusinessNotFound,
  DuplicateItemInRequest,
  DuplicateOrderInRequest,
  DuplicateOrderItemKey,
  FacilityNotFound,
  Forbidden,
  InvalidDocument,
  MalformedDocument,
  ShipmentCancelled,
  ShipmentConflict,
  ShipmentTooLarge,
  StorageUnavailable,
  TooManyItems,
  UnknownDock
} from "../values/Errors.ts"
import { Overloaded, PreconditionFailed, UnsupportedMediaType } from "../values/RequestErrors.ts"

export const strategyRefusals = [DuplicateOrderItemKey] as const
export type StrategyRefusal = ErrorOf<typeof strategyRefusals>

/** Why a document is refused once its content is known to be well-formed. */
export const decisionRefusals = [
  BusinessNotFound,
  FacilityNotFound,
  UnknownDock,
  ...strategyRefusals,
  DuplicateItemInRequest,
  DuplicateOrderInRequest,
  ShipmentCancelled,
  ShipmentConflict,
  ShipmentTooLarge
] as const
export type DecisionRefusal = ErrorOf<typeof decisionRefusals>

export const intakeErrors = [
  ...decisionRefusals,
  Forbidden,
  TooManyItems,
  PreconditionFailed,
  Overloaded,
  StorageUnavailable
] as const
export type IntakeError = ErrorOf<typeof intakeErrors>

/** Why a document file is refused before anything is asked of the storage. */
export const documentReadErrors = [
  UnsupportedMediaType,
  MalformedDocument,
  TooManyItems,
  InvalidDocument
] as const
export type DocumentReadError = ErrorOf<typeof documentReadErrors>
