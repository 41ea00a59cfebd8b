/** Answers the endpoints of a group, each by the declared operation of its name. */
import { Layer } from "effect"
import type { Effect } from "effect"
import type { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import type { HttpApiGroup } from "effect/http-api"
import { Api } from "../api/Api.ts"
import type { DeclaredGroup } from "../api/Api.ts"
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

/** The services of groups, one by one. */
type Served<Each> = Each extends string ? HttpApiGroup.Service<"dockline", Each> : never

/** Answers each endpoint of a group. The builder's types ask for each by its name, and these are answered in a loop. */
const group = (api: typeof Api, name: DeclaredGroup, answers: ReadonlyMap<string, Answering>) =>
  HttpApiBuilder.group(
    api,
    name,
    (handlers) =>
      Array.from(answers).filter(([operation]) => operation in api.groups[name].endpoints).reduce(
        (handlers, [operation, answering]) => handlers.handleRaw(operation, answering),
        handlers as unknown as Handlers
      ) as unknown as HttpApiBuilder.Handlers<Authorization>
  )

/** Answers the endpoints of all groups of declared operations. */
export const groups = (
  api: typeof Api,
  names: ReadonlyArray<DeclaredGroup>,
  answers: ReadonlyMap<string, Answering>
) =>
  Layer.mergeAll(
    Layer.empty,
    ...names.map((name) =>
      group(api, name, answers) as Layer.Layer<Served<DeclaredGroup>, never, Authorization>
    )
  )
