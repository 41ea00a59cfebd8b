/**
 * GraphiQL, the interactive reference of GraphQL, at the same path for browsers (D8.8), and the schema as a file. All
 * files come from memory, and need no token.
 */
import { graphqlType } from "@dockline/wire/Accept"
import type { SitePage } from "@dockline/wire/SitePages"
import * as StaticFile from "@dockline/wire/StaticFile"
import { Effect, Record, Struct } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import type { HttpServerRequest } from "effect/http"
import { printSchema } from "graphql"
import type { GraphQLSchema } from "graphql"
import type { GraphqlConfig } from "../GraphqlConfig.ts"
import { notFound } from "../http/HttpHandler.ts"
import * as Page from "./GraphiqlPage.ts"
import * as Library from "./Library.ts"

const contents: Record<Page.Part, () => string | Promise<string>> = {
  ...Record.map(Library.files, (_, name) => () => Library.read(name)),
  "page.js": () => Page.script,
  "page.css": () => Page.styles
}

const parts = Struct.keys(contents)

const isPart = (name: string): name is Page.Part => Object.hasOwn(contents, name)

/** Whether the request prefers HTML: programs prefer data. */
const wantsPage = ({ method, headers: { accept } }: HttpServerRequest.HttpServerRequest): boolean =>
  method === "GET" && graphqlType(accept) === "text/html"

/** From the path with a slash to the path; relative, as the service may lie under a path of a proxy. */
const withoutSlash = (url: string, path: string): HttpServerResponse.HttpServerResponse | undefined => {
  const [requestPath = "", search] = url.split(/\?(.*)/s, 2)
  if (!requestPath.endsWith("/") || path.endsWith("/")) return undefined
  const location = `../${path.slice(path.lastIndexOf("/") + 1)}${search === undefined ? "" : `?${search}`}`
  return HttpServerResponse.empty({ status: 308, headers: { location } })
}

export const make = (
  { path }: Pick<GraphqlConfig, "path">,
  schema: GraphQLSchema,
  pages: ReadonlyArray<SitePage>
) => {
  const name = path.slice(path.lastIndexOf("/") + 1)
  const root = "../".repeat(path.split("/").length - 2)
  const fileOf = StaticFile.keeper(contents)
  const pageOf = StaticFile.keeper({
    "": async () => Page.html({ name, root, pages }, await StaticFile.addressesOf(parts, fileOf)),
    "schema.graphql": () => printSchema(schema)
  })
  const serve = (
    file: Promise<StaticFile.StaticFile>,
    request: HttpServerRequest.HttpServerRequest,
    headers?: { readonly vary: string }
  ) => StaticFile.respond(file, request, Page.contentSecurityPolicy, headers)
  return {
    /** The page, if the request asks for it. */
    page: (request: HttpServerRequest.HttpServerRequest) => {
      if (!wantsPage(request)) return undefined
      const redirect = withoutSlash(request.url, path)
      return redirect === undefined
        ? serve(pageOf(""), request, { vary: "accept, accept-encoding" })
        : Effect.succeed(redirect)
    },
    schema: (request: HttpServerRequest.HttpServerRequest) => serve(pageOf("schema.graphql"), request),
    file: (request: HttpServerRequest.HttpServerRequest) =>
      Effect.flatMap(
        HttpRouter.params,
        ({ "*": name = "" }) => isPart(name) ? serve(fileOf(name), request) : notFound(request)
      )
  }
}
