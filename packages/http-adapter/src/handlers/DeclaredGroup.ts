/** Answers the endpoints of a group, each by the declared operation of its name. */
import type { Effect } from "effect"
import type { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../api/Api.ts"
import type { Authorization, CurrentPrincipal, FurtherPages } from "../api/Authorization.ts"

/** What a list is asked for; only its declaration knows more. */
export type Query = Readonly<Record<string, unknown>> & { readonly limit?: number | undefined }

/** A request, with what its endpoint has read of it. */
export interface Given {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Query
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

/** Answers each endpoint of a group. The builder's types ask for each by its name, and these are answered in a loop. */
export const group = <const Name extends keyof typeof Api.groups>(
  name: Name,
  answers: ReadonlyMap<string, Answering>
) =>
  HttpApiBuilder.group(
    Api,
    name,
    (handlers) =>
      Array.from(answers).filter(([operation]) => operation in Api.groups[name].endpoints).reduce(
        (handlers, [operation, answering]) => handlers.handleRaw(operation, answering),
        handlers as unknown as Handlers
      ) as unknown as HttpApiBuilder.Handlers<Authorization>
  )
