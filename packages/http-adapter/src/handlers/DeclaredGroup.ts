/**
 * Answers the endpoints of a group, each by the declared operation of its name.
 */
import type { Effect } from "effect"
import type { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../api/Api.ts"
import type { Authorization, CurrentPrincipal, FurtherPages } from "../api/Authorization.ts"

/** A request, with what its endpoint has read of it. */
export interface Given {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: object
}

/** Answers the requests for an operation. */
export type Answering = (
  given: Given
) => Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  never,
  CurrentPrincipal | FurtherPages | HttpServerRequest.HttpServerRequest
>

/** Handlers as a loop sees them, which takes the endpoints of a group one by one. */
interface Handlers {
  readonly handleRaw: (name: string, answering: Answering) => this
}

/** Answers each endpoint of a group. */
export const group = <const Name extends keyof typeof Api.groups>(
  name: Name,
  answeringOf: (operation: string) => Answering
) =>
  HttpApiBuilder.group(Api, name, (handlers) =>
    Object.keys(Api.groups[name].endpoints).reduce(
      (handlers, operation) => handlers.handleRaw(operation, answeringOf(operation)),
      handlers as unknown as Handlers
    ) as unknown as HttpApiBuilder.Handlers<Authorization>)
