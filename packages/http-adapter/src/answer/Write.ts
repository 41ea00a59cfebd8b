/**
 * A request that writes: from the bytes of the request to its answer.
 *
 * Guarantee: refusals come in the order of D3.9. The token is checked before this runs, media type and size before a
 * byte is parsed, and nothing is written unless everything about the request is right. With an `Idempotency-Key` a
 * repeated request gets the first answer (D5.2).
 */
import type { Permission, Principal } from "@dockline/core/Access"
import { MalformedRequest, UnsupportedMediaType } from "@dockline/core/Errors"
import type { InvalidRequest, PayloadTooLarge } from "@dockline/core/Errors"
import { restType } from "@dockline/core/internal/Accept"
import type { RestType } from "@dockline/core/internal/Accept"
import type { CatalogueError } from "@dockline/core/internal/Categories"
import * as JsonText from "@dockline/core/internal/JsonText"
import type { Reader } from "@dockline/core/RequestInput"
import { Effect, Result } from "effect"
import { HttpServerRequest } from "effect/http"
import type { HttpServerResponse } from "effect/http"
import { CurrentPrincipal } from "../api/Authorization.ts"
import type { HttpConfig } from "../api/HttpConfig.ts"
import * as ContentType from "../body/ContentType.ts"
import * as LimitedBody from "../body/LimitedBody.ts"
import * as Answer from "./Answer.ts"
import { Idempotency } from "./Idempotency.ts"
import type { PlacedAnswer } from "./Idempotency.ts"
import * as Parameters from "./Parameters.ts"

/** A body and the form it is in. */
export interface Body<Type> {
  readonly type: Type
  readonly bytes: Uint8Array
}

/** The media types that a body may be of, and whether there must be one. */
export interface BodyForm<Type> {
  readonly supported: ReadonlyArray<string>
  readonly parse: (contentType: string | undefined) => Result.Result<Type, ContentType.UnsupportedMediaType>
  /** The body that none at all stands for, where it may be left out, and its Content-Type with it. */
  readonly absent?: Body<Type>
}

/** A body in JSON. */
export const json: BodyForm<ContentType.Json> = {
  supported: ["application/json"],
  parse: ContentType.parseJson
}

/** A body in JSON, or none, which stands for `{}`. */
export const optionalJson: BodyForm<ContentType.Json> = {
  ...json,
  absent: { type: { format: "json" }, bytes: new TextEncoder().encode("{}") }
}

/** A request that has been read whole. */
export interface Received<Type> extends Body<Type> {
  readonly principal: Principal
  /** What the answer is to be written in. */
  readonly responseType: RestType
}

/** One kind of write. */
export interface Write<Type> {
  /** Method and path, ids and all, and what is asked besides body and answer format: what makes it this request. */
  readonly operation: ReadonlyArray<string>
  /** The query parameters that it takes. */
  readonly parameters: ReadonlyArray<string>
  /** What it takes to get the answer. */
  readonly permission: Permission
  readonly body: BodyForm<Type>
  readonly run: (received: Received<Type>) => Effect.Effect<PlacedAnswer, CatalogueError>
}

/** Answers requests that write. */
export type Handle = <Type extends ContentType.ContentType>(
  write: Write<Type>
) => Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  never,
  HttpServerRequest.HttpServerRequest | CurrentPrincipal
>

/** Makes {@link Handle}. */
export const make = (
  { bodyLimit }: Pick<HttpConfig, "bodyLimit">
): Effect.Effect<Handle, never, Idempotency> =>
  Effect.map(
    Idempotency,
    (idempotency): Handle => ({ operation, parameters, permission, body, run }) =>
      Effect.gen(function*() {
        const request = yield* HttpServerRequest.HttpServerRequest
        const principal = yield* CurrentPrincipal
        const { type, bytes } = yield* receive(request, body, bodyLimit)
        yield* Parameters.only(...parameters)
        const responseType = restType(request.headers["accept"])
        return yield* idempotency.once(
          {
            principal,
            permission,
            operation: [...operation, type.format, charsetOf(type), responseType],
            body: bytes
          },
          run({ principal, type, bytes, responseType })
        )
      }).pipe(Effect.catch(Answer.refuse), Effect.map(Answer.toResponse))
  )

/** The same bytes in another charset are another body. */
const charsetOf = (type: ContentType.ContentType): string => type.format === "xml" ? type.charset ?? "" : ""

/** Reads a body in JSON with the reader of what it says. */
export const readJson = <A>(
  bytes: Uint8Array,
  read: Reader<A>
): Effect.Effect<A, MalformedRequest | InvalidRequest> =>
  JsonText.read(bytes, read.shape).pipe(
    Effect.mapError(({ errors }) => new MalformedRequest({ errors })),
    Effect.flatMap(({ isWhole, value }) => Effect.fromResult(read(value, isWhole)))
  )

/** Reads the body of a request, or refuses it by its media type or size. */
export const receive = Effect.fnUntraced(function*<Type>(
  request: HttpServerRequest.HttpServerRequest,
  { supported, parse, absent }: BodyForm<Type>,
  bodyLimit: number
): Effect.fn.Return<Body<Type>, UnsupportedMediaType | PayloadTooLarge | LimitedBody.RequestAborted> {
  const { headers } = request
  const contentType = headers["content-type"]
  const unsupported = ({ detail }: ContentType.UnsupportedMediaType) =>
    new UnsupportedMediaType({ supported, detail })
  yield* Effect.fromResult(Result.mapError(checkCoding(headers["content-encoding"]), unsupported))
  const type = Result.mapError(parse(contentType), unsupported)
  if (absent !== undefined && Result.isFailure(type) && contentType === undefined) {
    // The first byte of a body makes it one of an unknown type.
    yield* LimitedBody.read(request, 0).pipe(
      Effect.catchTag("PayloadTooLarge", () => Effect.fail(type.failure))
    )
    return absent
  }
  const given = { type: yield* Effect.fromResult(type), bytes: yield* LimitedBody.read(request, bodyLimit) }
  return given.bytes.byteLength === 0 ? absent ?? given : given
})

/** A compressed body is refused as such, rather than as text that makes no sense. */
const checkCoding = (header: string | undefined): Result.Result<void, ContentType.UnsupportedMediaType> =>
  header === undefined || header.trim().toLowerCase() === "identity"
    ? Result.void
    : Result.fail(ContentType.unsupported("the Content-Encoding is not supported; send the body as it is"))
