/**
 * Answers requests that write. Refusals are in the order of D3.9: media type and size before a byte is parsed. A request with any fault
 * writes nothing. A repeated `Idempotency-Key` gets the first answer (D5.2).
 */
import type { Principal } from "@dockline/core/access/Access"
import { Keeping } from "@dockline/core/access/Idempotency"
import type { Once, Outcome } from "@dockline/core/access/Idempotency"
import * as JsonText from "@dockline/core/input/JsonText"
import type { Reader } from "@dockline/core/input/RequestInput"
import type { CatalogueError } from "@dockline/core/values/CatalogueError"
import { MalformedRequest } from "@dockline/core/values/Errors"
import type { InvalidRequest } from "@dockline/core/values/Errors"
import { noteRefusal } from "@dockline/core/values/Metrics"
import { contentTypeReader, documentTypes, restType } from "@dockline/wire/MediaType"
import type { ContentType, ContentTypeReader, RestType } from "@dockline/wire/MediaType"
import { Effect, Result } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { createHash } from "node:crypto"
import * as Answer from "../answer/Answer.ts"
import * as Parameters from "../answer/Parameters.ts"
import { CurrentPrincipal } from "../api/Parts.ts"
import * as LimitedBody from "../body/LimitedBody.ts"
import type { HttpConfig } from "../HttpConfig.ts"

interface Body {
  readonly type: ContentType
  readonly bytes: Uint8Array
}

/** How the body of a request is read: its media types, and the body that a request without one counts as. */
export interface BodyForm {
  readonly read: ContentTypeReader
  /** The body that a request without a body and without Content-Type counts as, if that is permitted. */
  readonly absent?: Body
}

/** A body in JSON or XML. */
export const document: BodyForm = { read: contentTypeReader(...documentTypes) }

export const json: BodyForm = { read: contentTypeReader("application/json") }

/** A request without a body counts as `{}`. */
export const optionalJson: BodyForm = {
  ...json,
  absent: { type: { format: "json", charset: undefined }, bytes: new TextEncoder().encode("{}") }
}

interface WriteInput extends Body {
  readonly principal: Principal
}

/** The parts of a request that writes, and the form of its answer. */
export interface Write<A> {
  /**
   * The texts that identify the request for its key, together with its body and the format of the answer: method, path with ids, and options.
   */
  readonly identity: ReadonlyArray<string>
  readonly parameters?: ReadonlyArray<string>
  /** The permitted preconditions; none by default. */
  readonly conditions?: ReadonlyArray<Parameters.Condition>
  readonly body: BodyForm
  /** Runs the operation, once under the key of the request if it has one. */
  readonly run: (input: WriteInput, once: Once | undefined) => Effect.Effect<Outcome<A>, CatalogueError>
  /** The root element of the answer in XML. */
  readonly rootName: string
  /** The answer to the client; its status is 200 by default. */
  readonly show: (answer: A) => {
    readonly value: unknown
    readonly status?: number
    readonly headers?: Readonly<Record<string, string>>
  }
}

/** Makes the function that answers requests that write. Each request runs once under its key. */
export const make = ({ bodyLimit }: HttpConfig) =>
  Effect.map(Keeping, (keeping) => {
    /** Makes the function that runs an operation under the key of a request. */
    const onceUnder = (
      key: string,
      identity: ReadonlyArray<string>,
      { bytes, principal, type: { charset, format } }: WriteInput,
      responseType: RestType
    ): Once => {
      // The same bytes in another charset are a different body.
      const wholeIdentity = [...identity, format, charset ?? "", responseType]
      const fingerprint = createHash("sha256").update(JSON.stringify(wholeIdentity)).update("\n").update(
        bytes
      )
        .digest("hex")
      return (permissions, run) => keeping.once({ key, fingerprint, principal, permissions }, run)
    }

    const answerTo = Effect.fnUntraced(function*<A>(write: Write<A>) {
      const request = yield* HttpServerRequest.HttpServerRequest
      const principal = yield* CurrentPrincipal
      const input = { principal, ...(yield* receive(request, write.body, bodyLimit)) }
      yield* Parameters.onlyWith(write.conditions ?? [], ...write.parameters ?? [])
      const { accept, "idempotency-key": key } = request.headers
      const responseType = restType(accept)
      const once = key === undefined ? undefined : onceUnder(key, write.identity, input, responseType)
      const { replayed, result } = yield* write.run(input, once)
      if (!replayed && Result.isFailure(result)) yield* noteRefusal("rest", result.failure)
      const answer = yield* Result.match(result, {
        onFailure: (error) => Effect.succeed(Answer.problem(error)),
        onSuccess: (answer) => {
          const { headers, status = 200, value } = write.show(answer)
          const options = { status, headers: { vary: "accept", ...headers } }
          return Answer.encode(write.rootName, value, responseType, options)
        }
      })
      return replayed ? HttpServerResponse.setHeader(answer, "idempotency-replayed", "true") : answer
    })

    return <A>(write: Write<A>) => Effect.catch(answerTo(write), Answer.respond)
  })

/** Parses a body in JSON and reads it. Fails with `MalformedRequest` if it is not JSON, with `InvalidRequest` if its content is wrong. */
export const readJson = <A>(
  bytes: Uint8Array,
  read: Reader<A>
): Effect.Effect<A, MalformedRequest | InvalidRequest> =>
  JsonText.read(bytes, read.shape).pipe(
    Effect.mapError(({ errors }) => new MalformedRequest({ errors })),
    Effect.flatMap(({ isWhole, value }) => Effect.fromResult(read(value, isWhole)))
  )

/** The bytes of a body with its media type. Refuses other media types, and more bytes than the limit. */
export const receive = (
  request: HttpServerRequest.HttpServerRequest,
  { absent, read }: BodyForm,
  bodyLimit: number
): Effect.Effect<Body, CatalogueError> => {
  const { headers } = request
  const type = read(headers)
  if (Result.isSuccess(type)) {
    return Effect.map(
      LimitedBody.read(request, bodyLimit),
      (bytes) => bytes.byteLength === 0 && absent !== undefined ? absent : { type: type.success, bytes }
    )
  }
  if (absent === undefined || headers["content-type"] !== undefined || type.failure.isCoding === true) {
    return Effect.fail(type.failure)
  }
  // A body without a known type is refused if it has at least one byte.
  return LimitedBody.read(request, 0).pipe(
    Effect.catchTag("PayloadTooLarge", () => Effect.fail(type.failure)),
    Effect.as(absent)
  )
}
