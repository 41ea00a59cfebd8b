/**
 * Why operations of operators are refused, by the entity that they concern.
 */
import type { ErrorOf } from "../values/CatalogueError.ts"
import * as Errors from "../values/Errors.ts"
import * as OperatorErrors from "../values/OperatorErrors.ts"

export const businessErrors = [Errors.BusinessNotFound, Errors.Forbidden, Errors.StorageUnavailable] as const
export type BusinessError = ErrorOf<typeof businessErrors>

export const clientErrors = [
  OperatorErrors.ClientNotFound,
  Errors.Forbidden,
  Errors.StorageUnavailable
] as const
export type ClientError = ErrorOf<typeof clientErrors>

export const personErrors = [
  OperatorErrors.PersonNotFound,
  Errors.Forbidden,
  Errors.StorageUnavailable
] as const
export type PersonError = ErrorOf<typeof personErrors>

export const endpointErrors = [
  OperatorErrors.WebhookEndpointNotFound,
  Errors.Forbidden,
  Errors.StorageUnavailable
] as const
export type EndpointError = ErrorOf<typeof endpointErrors>

export const createEndpointErrors = [
  Errors.InvalidRequest,
  Errors.BusinessNotFound,
  Errors.FacilityNotFound,
  Errors.Forbidden,
  OperatorErrors.TooManyEntries,
  OperatorErrors.SecretsKeyMissing,
  Errors.HistoryExpired,
  Errors.CursorAhead,
  Errors.StorageUnavailable
] as const
export type CreateEndpointError = ErrorOf<typeof createEndpointErrors>
