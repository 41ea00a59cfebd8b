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

const strategyRefusals = [DuplicateOrderItemKey] as const
/** Why a strategy refuses the items of an order (D3.5). */
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
/** One of {@link decisionRefusals}. */
export type DecisionRefusal = ErrorOf<typeof decisionRefusals>

/** Why intake refuses a document that could be read: by the decision, the permissions, the limits, or the storage. */
export const intakeErrors = [
  ...decisionRefusals,
  Forbidden,
  TooManyItems,
  PreconditionFailed,
  Overloaded,
  StorageUnavailable
] as const
/** One of {@link intakeErrors}. */
export type IntakeError = ErrorOf<typeof intakeErrors>

/** Why a document file is refused before anything is asked of the storage. */
export const documentReadErrors = [
  UnsupportedMediaType,
  MalformedDocument,
  TooManyItems,
  InvalidDocument
] as const
/** One of {@link documentReadErrors}. */
export type DocumentReadError = ErrorOf<typeof documentReadErrors>
