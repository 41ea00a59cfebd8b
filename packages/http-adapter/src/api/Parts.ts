/**
 * The endpoints of REST parts of capabilities beside their operations (ADR 31): the client that the bearer token of a request
 * authenticates, the functions that answer, and examples for the OpenAPI document.
 */
import type { Principal } from "@dockline/core/access/Access"
import type { Keeping } from "@dockline/core/access/Idempotency"
import type * as Capability from "@dockline/core/capability/Capability"
import type { OperationRegistry } from "@dockline/core/capability/OperationRegistry"
import type { Overloaded } from "@dockline/core/values/RequestErrors"
import { Context } from "effect"
import type { Effect } from "effect"
import type { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiMiddleware, HttpApiSecurity, OpenApi } from "effect/http-api"
import type { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import type { HttpConfig } from "../HttpConfig.ts"

/** The authenticated client of the request, as the handlers of secured endpoints see it. */
export class CurrentPrincipal
  extends Context.Service<CurrentPrincipal, Principal>()("@dockline/http-adapter/CurrentPrincipal")
{}

/** Reads the pages of a long answer after the first page (`handlers/EndpointRoutes`). */
export class FurtherPages extends Context.Service<FurtherPages, {
  /** Reads a page as a request of its client, in its turn. */
  readonly read: <A, E, R>(page: Effect.Effect<A, E, R>) => Effect.Effect<A, E | Overloaded, R>
}>()("@dockline/http-adapter/FurtherPages") {}

/** The middleware of every endpoint that needs a bearer token. */
export class Authorization extends HttpApiMiddleware.Service<Authorization, {
  provides: CurrentPrincipal | FurtherPages
}>()("@dockline/http-adapter/Authorization", {
  security: {
    bearer: HttpApiSecurity.bearer.pipe(
      HttpApiSecurity.annotate(OpenApi.Description, "The access token of POST /oauth/token")
    )
  }
}) {}

/** The query of a list; only its declaration knows its type. */
export type Query = Readonly<Record<string, unknown>> & { readonly limit?: number | undefined }

/** A request, with its parameters and body as the endpoint has read them. */
export interface CallInput {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Query
}

/** Answers the requests for an endpoint. */
export type Answering = (
  input: CallInput
) => Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  never,
  CurrentPrincipal | FurtherPages | HttpServerRequest.HttpServerRequest
>

/** An example of a body, and the name of its schema. */
export interface BodyExample {
  readonly schema: string
  readonly value: object
}

/** An example of an answer, in JSON and XML unless it has other forms. */
export interface AnswerExample extends BodyExample {
  /** The JSON media types of the answer, instead of JSON and XML. Clients that accept none of them get the first. */
  readonly contentTypes?: ReadonlyArray<string>
}

/** An example of a body that is a text with its own media type. */
export interface TextExample {
  readonly contentType: string
  readonly text: string
}

/** An example of an answer that is a text, or JSON if the client requests JSON. */
export interface TextAnswer extends TextExample {
  readonly json: {
    readonly schema: string
    /** The example, made from the example answers of the capability. */
    readonly valueOf: (answers: Readonly<Record<string, unknown>>) => object
  }
}

/** An example of the body of a request: a text, or JSON and XML. */
export type RequestExample = (BodyExample | TextExample) & {
  /** The purpose of the body, as a sentence. */
  readonly description: string
  readonly name: string
  readonly summary: string
}

/** Endpoints of a capability in addition to its operations. They need a bearer token, and their paths begin with `/v1/`. */
export interface RestPart {
  /** The name of the capability. A service that leaves it out does not serve the part. */
  readonly name: string
  /** The names of other capabilities without which the part is not served; none by default. */
  readonly needs?: ReadonlyArray<string>
  /** Endpoints in the group of the operations of the capability; none by default. */
  readonly endpoints?: ReadonlyArray<HttpApiEndpoint.Constraint>
  /** Endpoints in their own group; none by default. */
  readonly group?: HttpApiGroup.Constraint
  /** Examples of requests, by the names of the endpoints. */
  readonly requests: Readonly<Record<string, RequestExample>>
  /** Examples of answers with the status 200, by the names of the endpoints. */
  readonly answers: Readonly<Record<string, AnswerExample | TextAnswer>>
  /** The meanings of success statuses, by the names of endpoints and operations; the usual meaning if absent. */
  readonly successes?: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** Makes the handlers of the endpoints, by name. It gets the services of the capability from the registry. */
  readonly handlers: (
    config: HttpConfig
  ) => Effect.Effect<
    ReadonlyArray<readonly [name: string, answering: Answering]>,
    never,
    OperationRegistry | Keeping
  >
}

/** A capability with its parts of the REST interface. */
export interface RestCapability extends Capability.Any {
  readonly rest?: ReadonlyArray<RestPart>
}

/** Capabilities, each with those of its parts whose required capabilities are present. */
export const withParts = (
  capabilities: Capability.List,
  parts: ReadonlyArray<RestPart>
): ReadonlyArray<RestCapability> => {
  const names = new Set(capabilities.map(({ name }) => name))
  return capabilities.map((each) => ({
    ...each,
    rest: parts.filter(({ name, needs = [] }) => name === each.name && needs.every((need) => names.has(need)))
  }))
}

/** The parts of capabilities. */
export const partsOf = (capabilities: ReadonlyArray<RestCapability>): ReadonlyArray<RestPart> =>
  capabilities.flatMap(({ rest = [] }) => rest)
