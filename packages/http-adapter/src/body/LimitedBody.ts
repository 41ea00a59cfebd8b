/**
 * Reading a request body whole, up to a limit.
 *
 * Guarantee: no more than the limit and one chunk is ever held, whatever a client announces or sends. A body that is
 * announced larger is refused unread, one that turns out larger is refused at the chunk that exceeds the limit; a
 * client that goes away midway is a typed error, never a defect.
 */
import { PayloadTooLarge } from "@dockline/core/Errors"
import type { ErrorCategory } from "@dockline/core/Errors"
import { Effect, Schema, Stream } from "effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"

/** The client went away, or its connection broke, before the body was complete. Nobody is left to read an answer. */
export class RequestAborted extends Schema.TaggedError<RequestAborted>()("RequestAborted", {
  cause: Schema.Defect()
}) {
  readonly category = "malformed" satisfies ErrorCategory
  readonly code = "REQUEST_ABORTED"
  override readonly message = "The body ended before it was complete"
}

/** Reads the whole body: at most `limitBytes` bytes, none when the request has no body. To be called once a request. */
export const read = Effect.fnUntraced(function*(
  request: HttpServerRequest,
  limitBytes: number
): Effect.fn.Return<Uint8Array, PayloadTooLarge | RequestAborted> {
  if (announcedLength(request) > limitBytes) return yield* new PayloadTooLarge({ limit: limitBytes })
  if (isBodiless(request)) return new Uint8Array(0)
  const chunks: Array<Uint8Array> = []
  let size = 0
  yield* Stream.runForEachArray(request.stream, (batch) => {
    for (const chunk of batch) {
      size += chunk.byteLength
      if (size > limitBytes) return Effect.fail(new PayloadTooLarge({ limit: limitBytes }))
      chunks.push(chunk)
    }
    return Effect.void
  }).pipe(
    // Only the cause is kept: the error itself holds the request with all its headers, and errors are logged.
    Effect.catchTag("HttpServerError", ({ cause }) => Effect.fail(new RequestAborted({ cause })))
  )
  return concat(chunks, size)
})

/** NaN, which exceeds no limit, when nothing sensible is announced: the bytes are counted anyway. */
const announcedLength = (request: HttpServerRequest): number => {
  const header = request.headers["content-length"]
  return header === undefined || header === "" ? Number.NaN : Number(header)
}

/** A web `Request` without a body has no stream to read, and reading it would look like a client that went away. */
const isBodiless = ({ source }: HttpServerRequest): boolean => "body" in source && source.body === null

const concat = (chunks: ReadonlyArray<Uint8Array>, size: number): Uint8Array => {
  const [first] = chunks
  if (first !== undefined && chunks.length === 1) return first
  const whole = new Uint8Array(size)
  let offset = 0
  for (const chunk of chunks) {
    whole.set(chunk, offset)
    offset += chunk.byteLength
  }
  return whole
}
