/** Makes the endpoints of declared operations: their paths, parameters, bodies, answers and problems, with the texts for the reference. */
import type * as Operation from "@dockline/core/access/Operation"
import { InvalidParameter } from "@dockline/core/values/Errors"
import { BodyAlreadyRead, PayloadTooLarge } from "@dockline/core/values/RequestErrors"
import { Schema, SchemaAST } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import {
  about,
  correlationHeader,
  ofOperators,
  ofWrites,
  page,
  pageQuery,
  preconditionHeaders,
  problems,
  repeatable,
  textPageQuery,
  timedPageQuery,
  withBody,
  withJsonBody,
  withToken,
  writeHeaders
} from "./ApiSchemas.ts"
import { Authorization } from "./Parts.ts"

type PathOf<Rest extends Operation.Route> = Rest extends `${string} ${infer Path extends `/${string}`}` ? Path
  : never

/** The path of a route, with its literal type. */
const pathOf = <Rest extends Operation.Route>(rest: Rest): PathOf<Rest> =>
  rest.slice(rest.indexOf(" ") + 1) as PathOf<Rest>

/** The parameters of a path; `undefined` if it has none. */
const pathParams = <Params extends Operation.Fields>(params: Params) =>
  (Object.keys(params).length === 0 ? undefined : params) as keyof Params extends never ? never : Params

/** The parameters of pages, by the kind of their cursor. */
const pages = {
  count: pageQuery,
  id: pageQuery,
  name: textPageQuery,
  position: timedPageQuery,
  message: {
    limit: pageQuery.limit,
    afterId: Schema.optionalKey(
      Schema.Int.check(Schema.isGreaterThanOrEqualTo(0, { message: "must be the id of a message, or 0" }))
    )
  }
} as const

/** A group of endpoints whose requests need a bearer token. */
export const securedGroup = <
  const Name extends string,
  const Endpoints extends readonly [HttpApiEndpoint.Constraint, ...Array<HttpApiEndpoint.Constraint>]
>(name: Name, title: string, description: string, ...endpoints: Endpoints) =>
  HttpApiGroup.make(name).add(...endpoints).middleware(Authorization)
    .annotateMerge(OpenApi.annotations({ title, description }))

/** The endpoint of an operation that reads one entity. */
export const readEndpoint = <Op extends Operation.AnyRead>(
  { description, errors, name, params, rest, summary, view }: Op
) =>
  HttpApiEndpoint.get(name, pathOf(rest), {
    params: pathParams(params),
    success: view,
    error: problems(InvalidParameter, ...errors, ...withToken)
  }).annotateMerge(about(summary, description))

/** The endpoint of an operation that reads a list. */
export const listEndpoint = <Op extends Operation.AnyList>(
  { cursor, description, errors, filters, name, page: pageName, params, rest, row, summary }: Op
) =>
  HttpApiEndpoint.get(name, pathOf(rest), {
    params: pathParams(params),
    query: { ...filters, ...pages[cursor] },
    success: page(row, pageName),
    error: problems(InvalidParameter, ...errors, ...withToken)
  }).annotateMerge(about(summary, description))

/** The endpoint of an operation that changes something. */
export const writeEndpoint = <Op extends Operation.AnyWrite>(operation: Op) => {
  const { body, creates, description, errors, name, params, receipt, rest, summary, view } = operation
  // Without a receipt, the short form equals the view.
  const success = (receipt?.view ?? view) as Operation.RestView<Op>
  const creation = success.pipe(HttpApiSchema.status(201))
  return HttpApiEndpoint.post(name, pathOf(rest), {
    params: pathParams(params),
    headers: writeHeaders,
    payload: body,
    success: typeof creates === "function" ? [success, creation] : creates ? [creation] : [success],
    error: problems(...errors, ...ofWrites)
  }).annotateMerge(about(summary, description && describe(description, creates)))
}

/** The status of the answer to a write without a key. */
export const statusOf = ({ creates, isAccepted, view }: Operation.AnyKeylessWrite): 200 | 201 | 202 | 204 => {
  if (creates !== undefined) return 201
  if (isAccepted) return 202
  return SchemaAST.isVoid(view.ast) ? 204 : 200
}

/** Whether a request may require a version of the entity that it changes; an entity that the request creates had no version. */
export const takesVersion = ({ creates, stateOf }: Operation.AnyKeylessWrite): boolean =>
  stateOf !== undefined && creates === undefined

/** The endpoint of a write without a key. */
export const keylessEndpoint = <Op extends Operation.AnyKeylessWrite>(operation: Op) => {
  const { body, description, errors, name, params, rest, summary, view } = operation
  const method = rest.slice(0, rest.indexOf(" "))
  const status = statusOf(operation)
  // The types of endpoints are the same for all methods of writes.
  return HttpApiEndpoint.make(method as "POST")(name, pathOf(rest), {
    params: pathParams(params),
    headers: takesVersion(operation) ? preconditionHeaders : correlationHeader,
    payload: body,
    success: status === 200 ? view : view.pipe(HttpApiSchema.status(status)),
    error: problems(
      ...errors,
      ...(method === "DELETE" ? ofOperators : body === undefined ? withBody : withJsonBody)
    )
  }).annotateMerge(about(summary, description))
}

/** The endpoint of an operation with a body in several forms; the JSON form is the payload. */
export const uploadEndpoint = <
  Op extends Operation.AnyUpload,
  Headers extends Operation.Fields,
  Query extends Operation.Fields,
  Payload extends Schema.Top
>(
  { creates, description, errors, name, rest, summary, view }: Op,
  { headers, payload, query }: { readonly headers: Headers; readonly query: Query; readonly payload: Payload }
) =>
  HttpApiEndpoint.post(name, pathOf(rest), {
    headers: { ...writeHeaders, ...headers },
    query,
    payload,
    success: [view, view.pipe(HttpApiSchema.status(201))],
    error: problems(
      ...errors,
      InvalidParameter,
      PayloadTooLarge,
      BodyAlreadyRead,
      ...repeatable,
      ...withToken
    )
  }).annotateMerge(about(summary, description && describe(description, creates)))

/** Adds to a description the two statuses of an operation that creates something only in some cases. */
const describe = (description: string, creates: Operation.AnyWrite["creates"]): string =>
  typeof creates === "function" ? `${description} ${createdOrNot}` : description

const createdOrNot = "201 when something was created, else 200."
