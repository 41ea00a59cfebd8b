/**
 * Schemas that the groups of the API share: descriptions, pages, headers, and the errors that operations declare, from which the answers in
 * the OpenAPI document are derived.
 */
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
import * as Field from "@dockline/core/values/Field"
import { isCursor } from "@dockline/core/values/Page"
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
import { mediaType, statusOf } from "@dockline/wire/Problem"
import { Schema, SchemaAST } from "effect"
import { HttpApiSchema, OpenApi } from "effect/http-api"

/** The title of an endpoint, and its description in sentences. */
export const about = (summary: string, description: string) => OpenApi.annotations({ summary, description })

/** A text of an answer or a parameter, with its description. */
export const text = (description: string) => Schema.String.annotate({ description })

/** A whole number of an answer, with its description. */
export const count = (description: string) => Schema.Int.annotate({ description })

export const page = <S extends Schema.Top>(item: S, identifier: string) =>
  Schema.Struct({
    items: Schema.Array(item).annotate({ description: "The entries of this page" }),
    next: Schema.NullOr(Schema.String).annotate({
      description: "Send it as after for the next page; null on the last"
    })
  }).annotate({ identifier })

const limit = Schema.optionalKey(
  Schema.Int.check(
    Schema.isBetween({ minimum: 1, maximum: 100 }, { message: "must be a whole number from 1 to 100" })
  )
)

/** The parameters of a list of entities in the order of their ids. */
export const pageQuery = {
  limit,
  after: Schema.optionalKey(
    Schema.Int.check(Schema.isGreaterThanOrEqualTo(0, { message: "must be the next of a page" }))
  )
}

/** The parameters of a list whose cursors are texts. */
export const textPageQuery = {
  limit,
  after: Schema.optionalKey(Field.text("The `next` of the previous page."))
}

/** The parameters of a list in the order of ids or of times. */
export const timedPageQuery = {
  limit,
  after: Schema.optionalKey(
    Field.stringField(
      "The `next` of the previous page.",
      (text) => isCursor(text) ? undefined : "must be the next of a page",
      { maxLength: 64 }
    )
  )
}

/** The header that every request may have. */
export const correlationHeader = {
  "correlation-id": Schema.optionalKey(
    text("Returned as it is in the answer, and in every line that the service logs about the request.")
  )
}

/** The headers of a request that may require the version of the entity that it changes. */
export const preconditionHeaders = {
  "if-match": Schema.optionalKey(
    text(
      "The ETag of the entity as it was read. If somebody else has changed it meanwhile, the answer is 412 and nothing is overwritten."
    )
  ),
  ...correlationHeader
}

/** The headers of every request that writes. */
export const writeHeaders = {
  "idempotency-key": Schema.optionalKey(
    text("Send a new value, such as a UUID, with each new request, and the same value when you repeat one.")
  ),
  ...correlationHeader
}

/** The body of every refusal, except those of the token endpoint (RFC 9457). */
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

/** Responses for the errors of an operation and of any request: one problem for each status. */
export const problems = (...errors: ReadonlyArray<ErrorClass>) => {
  const byStatus = Map.groupBy(new Set([...errors, ...anyRequest]), ({ category }) => statusOf(category))
  return Array.from(byStatus, ([status, errors]) =>
    Problem.pipe(
      HttpApiSchema.status(status),
      HttpApiSchema.asJson({ contentType: mediaType })
    ).annotate({ [errorsKey]: errors }))
}

const errorsKey = "@dockline/http-adapter/errors"

/** The errors of a response; only the schemas above have this annotation. */
export const errorsOf = ({ ast }: Schema.Top): ReadonlyArray<ErrorClass> =>
  (SchemaAST.resolve(ast)?.[errorsKey] ?? []) as ReadonlyArray<ErrorClass>
