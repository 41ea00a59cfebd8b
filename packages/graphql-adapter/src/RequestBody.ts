/**
 * Reading a request body as text, up to a limit.
 *
 * Guarantee: no more than the limit and one chunk is ever held, whatever a client announces or sends.
 */
import { MalformedRequest, PayloadTooLarge } from "@dockline/core/Errors"
import { Effect, Stream } from "effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"

/** What is wrong with the body as such. */
export const malformed = (detail: string, path = ""): MalformedRequest =>
  new MalformedRequest({ errors: [{ path, detail }] })

/** The client went away midway, and nobody is left to read an answer; or its connection broke. */
export const aborted = malformed("ended before it was complete", "body")

/** Reads the whole body as UTF-8; `""` when the request has none. To be called once a request. */
export const readText = Effect.fnUntraced(function*(
  request: HttpServerRequest,
  limitBytes: number
): Effect.fn.Return<string, PayloadTooLarge | MalformedRequest> {
  // NaN, which exceeds no limit, when nothing sensible is announced: the bytes are counted anyway.
  if (Number(request.headers["content-length"] || Number.NaN) > limitBytes) {
    return yield* new PayloadTooLarge({ limit: limitBytes })
  }
  const { source } = request
  if ("body" in source && source.body === null) return ""
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
  return yield* Effect.try({
    try: () => new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks)),
    catch: () => malformed("is not UTF-8", "body")
  })
})
