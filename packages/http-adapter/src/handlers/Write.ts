/**
 * Answers requests that write, with refusals in the order of D3.9: media type and size before a byte is parsed, and a
 * request with any fault writes nothing. A repeated `Idempotency-Key` gets the first answer (D5.2).
 */
import type { Permission, Principal } from "@dockline/core/Access"
import { MalformedRequest } from "@dockline/core/Errors"
import type { InvalidRequest } from "@dockline/core/Errors"
import * as JsonText from "@dockline/core/internal/input/JsonText"
import type { Reader } from "@dockline/core/internal/input/RequestInput"
import type { CatalogueError } from "@dockline/core/internal/values/CatalogueError"
import { restType } from "@dockline/core/internal/wire/Accept"
import type { RestType } from "@dockline/core/internal/wire/Accept"
import { Effect, Result } from "effect"
import { HttpServerRequest } from "effect/http"
import * as Answer from "../answer/Answer.ts"
import * as Parameters from "../answer/Parameters.ts"
import { RepeatedRequests } from "../answer/RepeatedRequests.ts"
import type { PlacedAnswer } from "../answer/RepeatedRequests.ts"
import { CurrentPrincipal } from "../api/Authorization.ts"
import * as ContentType from "../body/ContentType.ts"
import * as LimitedBody from "../body/LimitedBody.ts"
import type { HttpConfig } from "../HttpConfig.ts"

interface Body {
  readonly type: ContentType.ContentType
  readonly bytes: Uint8Array
}

/** The media types that a request takes. */
export interface BodyForm {
  readonly parse: ContentType.Parse
  /** The body that a request has when it comes without body and Content-Type, where it may. */
  readonly absent?: Body
}

export const document: BodyForm = { parse: ContentType.parse }

export const json: BodyForm = { parse: ContentType.parseJson }

/** No body stands for `{}`. */
export const optionalJson: BodyForm = {
  ...json,
  absent: { type: { format: "json", charset: undefined }, bytes: new TextEncoder().encode("{}") }
}

interface Received extends Body {
  readonly principal: Principal
  readonly responseType: RestType
}

export interface Write {
  /** Method, path with ids, and options: with the body and the format of the answer they identify the request. */
  readonly operation: ReadonlyArray<string>
  readonly parameters: ReadonlyArray<string>
  /** Each of them suffices. */
  readonly permissions: ReadonlyArray<Permission>
  readonly body: BodyForm
  /** Whether it reads nothing after its only write (`IdempotencyStore.OnceOptions`). */
  readonly writesOnce?: boolean
  readonly run: (received: Received) => Effect.Effect<PlacedAnswer, CatalogueError>
}

export const make = ({ bodyLimit }: HttpConfig) =>
  Effect.map(
    RepeatedRequests,
    (idempotency) =>
      Effect.fnUntraced(
        function*({ operation, parameters, permissions, body, writesOnce, run }: Write) {
          const request = yield* HttpServerRequest.HttpServerRequest
          const principal = yield* CurrentPrincipal
          const { type, bytes } = yield* receive(request, body, bodyLimit)
          yield* Parameters.only(...parameters)
          const responseType = restType(request.headers["accept"])
          return yield* idempotency.once(
            {
              principal,
              permissions,
              // The same bytes in another charset are another body.
              operation: [...operation, type.format, type.charset ?? "", responseType],
              body: bytes,
              writesOnce
            },
            run({ principal, type, bytes, responseType })
          )
        },
        Effect.catch(Answer.refuse),
        Effect.map(Answer.toResponse)
      )
  )

export const readJson = <A>(
  bytes: Uint8Array,
  read: Reader<A>
): Effect.Effect<A, MalformedRequest | InvalidRequest> =>
  JsonText.read(bytes, read.shape).pipe(
    Effect.mapError(({ errors }) => new MalformedRequest({ errors })),
    Effect.flatMap(({ isWhole, value }) => Effect.fromResult(read(value, isWhole)))
  )

export const receive = (
  request: HttpServerRequest.HttpServerRequest,
  { parse, absent }: BodyForm,
  bodyLimit: number
): Effect.Effect<Body, CatalogueError> => {
  const { headers } = request
  const contentType = headers["content-type"]
  const coding = headers["content-encoding"]
  if (coding !== undefined && coding.trim().toLowerCase() !== "identity") {
    return Effect.fail(
      ContentType.unsupported("the Content-Encoding is not supported; send the body as it is")
    )
  }
  const type = parse(contentType)
  if (Result.isSuccess(type)) {
    return Effect.map(
      LimitedBody.read(request, bodyLimit),
      (bytes) => bytes.byteLength === 0 && absent !== undefined ? absent : { type: type.success, bytes }
    )
  }
  if (absent === undefined || contentType !== undefined) return Effect.fail(type.failure)
  // A body of at least one byte has an unknown type.
  return LimitedBody.read(request, 0).pipe(
    Effect.catchTag("PayloadTooLarge", () => Effect.fail(type.failure)),
    Effect.as(absent)
  )
}
