/**
 * Answers the declared writes of operators (D11), in JSON. An answer is never kept under an `Idempotency-Key`, because it may hold a secret
 * that is shown only once.
 */
import { RequestOrigin } from "@dockline/core/access/AuditLog"
import type { AnyKeylessWrite } from "@dockline/core/access/Operation"
import { ExpectedVersions } from "@dockline/core/input/Precondition"
import * as RequestInput from "@dockline/core/input/RequestInput"
import { MalformedRequest } from "@dockline/core/values/Errors"
import { Effect, Option, Predicate, Schema } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import * as Answer from "../answer/Answer.ts"
import * as EntityTags from "../answer/EntityTags.ts"
import * as Parameters from "../answer/Parameters.ts"
import { CurrentPrincipal } from "../api/Authorization.ts"
import { statusOf, takesVersion } from "../api/Endpoints.ts"
import type { Answering } from "../api/Parts.ts"
import type { HttpConfig } from "../HttpConfig.ts"
import * as ClientAddress from "../tokens/ClientAddress.ts"
import type * as Reads from "./Reads.ts"
import * as Write from "./Write.ts"

/** Makes the handlers of writes without a key. They get the address of their client. */
export const make = ({ bodyLimit, trustedProxies }: HttpConfig) => {
  const addresses = ClientAddress.make(trustedProxies)

  const readRequest = Effect.fnUntraced(function*(
    operation: AnyKeylessWrite,
    request: HttpServerRequest.HttpServerRequest
  ) {
    const { body, isBodyOptional, read = noFields } = operation
    const isOptional = body === undefined || isBodyOptional === true
    const { bytes } = yield* Write.receive(request, isOptional ? Write.optionalJson : Write.json, bodyLimit)
    yield* Parameters.onlyWith(takesVersion(operation) ? ["If-Match"] : [])
    if (request.method === "POST" && request.headers["idempotency-key"] !== undefined) {
      return yield* keyRefused
    }
    const expected = yield* Effect.fromResult(EntityTags.expectedBy(request.headers["if-match"]))
    return { body: yield* Write.readJson(bytes, read), expected }
  })

  return (operation: AnyKeylessWrite, run: Reads.Run): Answering => ({ params = {} }) =>
    Effect.gen(function*() {
      const request = yield* HttpServerRequest.HttpServerRequest
      const { body, expected } = request.method === "DELETE"
        ? yield* Effect.as(Parameters.only(), withoutBody)
        : yield* readRequest(operation, request)
      const address = addresses.of(Option.getOrUndefined(request.remoteAddress), request.headers)
      const done = yield* run({ ...params, body }, yield* CurrentPrincipal).pipe(
        Effect.provideService(RequestOrigin, { address }),
        Effect.provideService(ExpectedVersions, expected)
      )
      const status = statusOf(operation)
      if (status === 204) return HttpServerResponse.empty({ status })
      const value = operation.show === undefined ? done : operation.show(done)
      const headers = {
        ...locationOf(operation, params, value),
        ...(yield* EntityTags.headersOf(operation, value))
      }
      return value === undefined
        ? HttpServerResponse.empty({ status, headers })
        : HttpServerResponse.jsonUnsafe(value, { status, headers })
    }).pipe(Effect.catch(Answer.respond))
}

const withoutBody = { body: undefined, expected: undefined }

const noFields = RequestInput.reader(Schema.Struct({}), "the body")

/** The location of the created entity: the path of the request, followed by the field that names the entity. */
const locationOf = (
  { creates, rest }: AnyKeylessWrite,
  params: Readonly<Record<string, string>>,
  value: unknown
): Readonly<Record<string, string>> => {
  if (creates === undefined) return {}
  const path = rest.replace(/^\w+ /, "").replaceAll(
    /:(\w+)/g,
    (_, name: string) => encodeURIComponent(params[name] ?? "")
  )
  return {
    location: creates !== null && Predicate.hasProperty(value, creates)
      ? `${path}/${encodeURIComponent(String(value[creates]))}`
      : path
  }
}

const keyRefused = new MalformedRequest({
  errors: [{
    path: "Idempotency-Key",
    detail:
      "is not supported here, because the answer may hold a secret and is not kept; leave it out, and check the \
present state before you repeat the request"
  }]
})
