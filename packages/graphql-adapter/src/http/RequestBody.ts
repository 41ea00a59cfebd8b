/**
 * Reading a request body up to a limit, and the JSON of a request.
 *
 * Guarantee: no more than the limit and one chunk is ever held, whatever a client announces or sends. JSON is taken or
 * refused exactly as REST takes or refuses it.
 */
import { MalformedRequest, PayloadTooLarge } from "@dockline/core/Errors"
import * as JsonText from "@dockline/core/internal/JsonText"
import { Effect, Stream } from "effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"

/** What is wrong with the body as such. */
export const malformed = (detail: string, path = ""): MalformedRequest =>
  new MalformedRequest({ errors: [{ path, detail }] })

/** The client went away midway, and nobody is left to read an answer; or its connection broke. */
export const aborted = malformed("ended before it was complete", "body")

/** Reads JSON as REST reads it (D2.6); `part` is the part of the request that holds it. */
export const readJson = (
  json: Uint8Array | string,
  part: string
): Effect.Effect<unknown, MalformedRequest> =>
  JsonText.read(json).pipe(
    Effect.map(({ value }) => value),
    Effect.mapError(({ errors }) =>
      new MalformedRequest({
        errors: errors.map(({ path, detail }) => ({
          path: path === "" ? part : pathWithin(part, path),
          detail
        }))
      })
    )
  )

/** The body is what all paths begin in, so that it is not named. */
const pathWithin = (part: string, path: string): string => part === "body" ? path : `${part}.${path}`

/** Reads the whole body; nothing when the request has none. To be called once a request. */
export const readBytes = Effect.fnUntraced(function*(
  request: HttpServerRequest,
  limitBytes: number
): Effect.fn.Return<Uint8Array, PayloadTooLarge | MalformedRequest> {
  // NaN, which exceeds no limit, when nothing sensible is announced: the bytes are counted anyway.
  if (Number(request.headers["content-length"] || Number.NaN) > limitBytes) {
    return yield* new PayloadTooLarge({ limit: limitBytes })
  }
  const { source } = request
  if ("body" in source && source.body === null) return new Uint8Array(0)
  const chunks: Array<Uint8Array> = []
  let size = 0
  yield* Stream.runForEachArray(request.stream, (batch) => {
    for (const chunk of batch) {
      size += chunk.byteLength
      if (size > limitBytes) return Effect.fail(new PayloadTooLarge({ limit: limitBytes }))
      chunks.push(chunk)
    }
    return Effect.void
  }).pipe(Effect.catchTag("HttpServerError", () => Effect.fail(aborted)))
  return Buffer.concat(chunks)
})
