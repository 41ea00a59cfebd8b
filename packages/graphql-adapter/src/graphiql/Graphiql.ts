/**
 * GraphiQL, the interactive reference of GraphQL, at the same path for browsers (D8.8), and the schema as a file. Its program and its
 * style sheet are files of the folder `page`.
 *
 * Guarantee: the page has no inline scripts, and loads nothing from other hosts. All files come from memory, and need no token.
 */
import { graphqlType } from "@dockline/wire/MediaType"
import { header, headerStyles } from "@dockline/wire/SitePages"
import type { SitePage } from "@dockline/wire/SitePages"
import * as StaticFile from "@dockline/wire/StaticFile"
import { Effect, Record, Struct } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import type { HttpServerRequest } from "effect/http"
import { printSchema } from "graphql"
import type { GraphQLSchema } from "graphql"
import { readFile } from "node:fs/promises"
import type { GraphqlConfig } from "../GraphqlConfig.ts"
import { notFound } from "../http/HttpHandler.ts"
import { files, read } from "./Library.ts"

/** Allows inline styles, by which GraphiQL's editor measures and places itself, and scripts only from files of the service. */
const contentSecurityPolicy = StaticFile.pagePolicy({
  "style-src": "'self' 'unsafe-inline'",
  "img-src": "'self' data:"
})

/** The files of the page: files of libraries, and its own files. */
type Part = keyof typeof files | "page.js" | "page.css"

/** Paths relative to the page: the last segment of the interface's path, and the root below which tokens are issued. */
interface Paths {
  readonly name: string
  readonly root: string
}

/** The name of the page among those of the service. */
const pageName = "GraphiQL"

/** The page. The addresses of its files are relative, because a proxy may serve the page below another path. */
const html = (
  { name, pages, root }: Paths & {
    /** The pages of the service. */
    readonly pages: ReadonlyArray<SitePage>
  },
  addresses: Readonly<Record<Part, string>>
): string =>
  `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Dockline: GraphiQL</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${name}/graphiql/${addresses["graphiql.css"]}">
<link rel="stylesheet" href="${name}/graphiql/${addresses["page.css"]}">
<script defer src="${name}/graphiql/${addresses["react.js"]}"></script>
<script defer src="${name}/graphiql/${addresses["react-dom.js"]}"></script>
<script defer src="${name}/graphiql/${addresses["graphiql.js"]}"></script>
<script defer src="${name}/graphiql/${addresses["page.js"]}"></script>
</head>
<body>
<noscript>GraphiQL needs JavaScript. Without it, read <a href="${name}/schema.graphql">the schema</a>.</noscript>
${header(pages, pageName)}<header>
<h1>Dockline GraphQL</h1>
<a href="${name}/schema.graphql">Schema</a>
<span id="who" hidden></span>
<button id="out" type="button" hidden>Sign out</button>
</header>
<main>
<div id="welcome" hidden>
<p>Here you write queries with completion, run them, and read what each field means: shipments with their pallets,
and the messages of a business, also as they happen.</p>
<p>Sign in as an API client. A service with demo data has the client <code>acme-client</code> with the secret
<code>acme-client-secret</code>.</p>
<form id="access" data-tokens="${root}oauth/token">
<label>Client id <input id="client" autocomplete="username" spellcheck="false" required></label>
<label>Client secret <input id="secret" type="password" autocomplete="current-password" required></label>
<button type="submit">Sign in</button>
</form>
<details>
<summary>Or use an access token that you have</summary>
<form id="pasted">
<label>Access token <input id="token" type="password" autocomplete="off" spellcheck="false" required></label>
<button type="submit">Use it</button>
</form>
</details>
<output id="state" role="status"></output>
</div>
<div id="graphiql"></div>
</main>
</body>
</html>
`

/** A file that the package has for the page. */
const readPage = (name: string) => readFile(new URL(`../../page/${name}`, import.meta.url), "utf8")

const contents: Record<Part, () => string | Promise<string>> = {
  ...Record.map(files, (_, name) => () => read(name)),
  "page.js": () => readPage("graphiql.js"),
  "page.css": async () => headerStyles + await readPage("graphiql.css")
}

const parts = Struct.keys(contents)

const isPart = (name: string): name is Part => Object.hasOwn(contents, name)

/** Whether the request prefers HTML, as browsers do; programs prefer data. */
const wantsPage = ({ method, headers: { accept } }: HttpServerRequest.HttpServerRequest): boolean =>
  method === "GET" && graphqlType(accept) === "text/html"

/** Redirects from the path with a slash at its end to the path; relative, because a proxy may serve it below another path. */
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
    "": async () => html({ name, root, pages }, await StaticFile.addressesOf(parts, fileOf)),
    "schema.graphql": () => printSchema(schema)
  })
  const serve = (
    file: Promise<StaticFile.StaticFile>,
    request: HttpServerRequest.HttpServerRequest,
    headers?: { readonly vary: string }
  ) => StaticFile.respond(file, request, contentSecurityPolicy, headers)
  return {
    /** The page, if the request asks for it. */
    page: (request: HttpServerRequest.HttpServerRequest) => {
      if (!wantsPage(request)) return undefined
      const redirect = withoutSlash(request.url, path)
      return redirect === undefined
        ? serve(pageOf(""), request, { vary: "accept, accept-encoding" })
        : Effect.succeed(redirect)
    },
    /** The schema in the schema language; it needs no token (D16.1). */
    schema: (request: HttpServerRequest.HttpServerRequest) => serve(pageOf("schema.graphql"), request),
    file: (request: HttpServerRequest.HttpServerRequest) =>
      Effect.flatMap(
        HttpRouter.params,
        ({ "*": name = "" }) => isPart(name) ? serve(fileOf(name), request) : notFound(request)
      )
  }
}
