/** Reads a request body whole, up to a limit. A client that goes away midway is a typed error, never a defect. */
import type { ErrorCategory } from "@dockline/core/values/CatalogueError"
import type { BodyAlreadyRead, Overloaded, PayloadTooLarge } from "@dockline/core/values/RequestErrors"
import * as BoundedBody from "@dockline/wire/BoundedBody"
import { Effect, Schema } from "effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"

/** The client went away, or its connection broke, before the body was complete. Nobody is left to read an answer. */
export class RequestAborted extends Schema.TaggedError<RequestAborted>()("RequestAborted", {
  cause: Schema.Defect()
}) {
  readonly category = "malformed" satisfies ErrorCategory
  readonly code = "REQUEST_ABORTED"
  override readonly message = "The body ended before it was complete"
}

/** At most `limitBytes` bytes, none when the request has no body. Call it once for each request. */
export const read = (
  request: HttpServerRequest,
  limitBytes: number
): Effect.Effect<Uint8Array, BodyAlreadyRead | Overloaded | PayloadTooLarge | RequestAborted> =>
  BoundedBody.read(request, limitBytes).pipe(
    // Only the cause is kept, because the error itself holds the request with all its headers, and errors are logged.
    Effect.catchTag("HttpServerError", ({ cause }) => Effect.fail(new RequestAborted({ cause })))
  )
