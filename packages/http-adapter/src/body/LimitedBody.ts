/** Reads a whole request body, up to a limit. If the client goes away before the end, the error is typed, and never a defect. */
import type { ErrorCategory } from "@dockline/core/values/CatalogueError"
import type { BodyAlreadyRead, Overloaded, PayloadTooLarge } from "@dockline/core/values/RequestErrors"
import * as BoundedBody from "@dockline/wire/BoundedBody"
import { Effect, Schema } from "effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"

/** The client went away, or its connection broke, before the body was complete. Nobody would read an answer. */
export class RequestAborted extends Schema.TaggedError<RequestAborted>()("RequestAborted", {
  cause: Schema.Defect()
}) {
  readonly category = "malformed" satisfies ErrorCategory
  readonly code = "REQUEST_ABORTED"
  override readonly message = "The body ended before it was complete"
}

/** Reads at most `limitBytes` bytes; none if the request has no body. Call it once for each request. */
export const read = (
  request: HttpServerRequest,
  limitBytes: number
): Effect.Effect<Uint8Array, BodyAlreadyRead | Overloaded | PayloadTooLarge | RequestAborted> =>
  BoundedBody.read(request, limitBytes).pipe(
    // Only the cause is kept, because the error itself holds the request with all its headers, and errors are logged.
    Effect.catchTag("HttpServerError", ({ cause }) => Effect.fail(new RequestAborted({ cause })))
  )
