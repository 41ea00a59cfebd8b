/** The errors that operations declare; the answers in the OpenAPI document derive from them. */
import { FieldError } from "@dockline/core/values/CatalogueError"
import type { ErrorClass } from "@dockline/core/values/CatalogueError"
import {
  Forbidden,
  InvalidParameter,
  InvalidRequest,
  MalformedRequest,
  StorageUnavailable,
  Unauthenticated
} from "@dockline/core/values/Errors"
import {
  BodyAlreadyRead,
  HeadersTooLarge,
  IdempotencyKeyInUse,
  IdempotencyKeyReused,
  InternalError,
  IssuerUnavailable,
  MethodNotAllowed,
  MisdirectedRequest,
  Overloaded,
  PayloadTooLarge,
  RateLimited,
  RequestTimeout,
  Stopping,
  UnsupportedMediaType
} from "@dockline/core/values/RequestErrors"
import { statusOf } from "@dockline/wire/Categories"
import { mediaType } from "@dockline/wire/Problem"
import { Schema, SchemaAST } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { count, text } from "./ApiSchemas.ts"

/** The body of every refusal but those of the token endpoint (RFC 9457). */
export const Problem = Schema.Struct({
  type: text("Always about:blank"),
  title: text("The HTTP phrase of the status"),
  status: count("The status of the answer"),
  detail: text("The fault of this request, and the remedy"),
  code: Schema.optionalKey(text("The machine code, such as SHIPMENT_CONFLICT")),
  errors: Schema.optionalKey(
    Schema.Array(FieldError).annotate({ description: "Each fault of the request, with its place" })
  ),
  droppedId: Schema.optionalKey(
    count("With HISTORY_EXPIRED: messages up to this id are gone; reading after it misses no others")
  ),
  newestId: Schema.optionalKey(count("With CURSOR_AHEAD: the newest id of the log")),
  instance: Schema.optionalKey(text("The correlation id, where it is needed"))
}).annotate({ identifier: "Problem" })

const anyRequest = [
  MethodNotAllowed,
  RequestTimeout,
  HeadersTooLarge,
  MisdirectedRequest,
  InternalError
] as const

/** The errors of any request with a token. */
export const withToken = [
  Unauthenticated,
  RateLimited,
  Overloaded,
  Stopping,
  StorageUnavailable,
  IssuerUnavailable
] as const

/** The errors of any request with a body in JSON. */
export const withBody = [
  ...withToken,
  MalformedRequest,
  InvalidParameter,
  PayloadTooLarge,
  BodyAlreadyRead,
  UnsupportedMediaType
] as const

/** The errors of an operator's request without a body. */
export const ofOperators = [...withToken, InvalidParameter, Forbidden] as const

/** The errors of an operator's request with a body. */
export const withJsonBody = [...withBody, Forbidden, InvalidRequest] as const

/** The errors of a request that may be repeated under its key. */
export const repeatable = [IdempotencyKeyInUse, IdempotencyKeyReused] as const

/** The errors of a request with a body and an optional key. */
export const ofWrites = [InvalidRequest, ...withBody, ...repeatable] as const

/** The errors that an operation may answer with, and those of any request, as the problems of their statuses. */
export const problems = (...errors: ReadonlyArray<ErrorClass>) => {
  const byStatus = Map.groupBy(new Set([...errors, ...anyRequest]), ({ category }) => statusOf(category))
  return Array.from(byStatus, ([status, errors]) =>
    Problem.pipe(
      HttpApiSchema.status(status),
      HttpApiSchema.asJson({ contentType: mediaType })
    ).annotate({ [errorsKey]: errors }))
}

const errorsKey = "@dockline/http-adapter/errors"

/** The errors of a response; only the schemas above have that annotation. */
export const errorsOf = ({ ast }: Schema.Top): ReadonlyArray<ErrorClass> =>
  (SchemaAST.resolve(ast)?.[errorsKey] ?? []) as ReadonlyArray<ErrorClass>
