/**
 * GraphiQL, the interactive reference of GraphQL, at the same path for browsers (D8.8), and the schema as a file. All
 * files come from memory, and need no token.
 */
import { graphqlType } from "@dockline/wire/Accept"
import { header, headerStyles } from "@dockline/wire/SitePages"
import type { SitePage } from "@dockline/wire/SitePages"
import * as StaticFile from "@dockline/wire/StaticFile"
import { Effect, Record, Struct } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import type { HttpServerRequest } from "effect/http"
import { printSchema } from "graphql"
import type { GraphQLSchema } from "graphql"
import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import type { GraphqlConfig } from "../GraphqlConfig.ts"
import { notFound } from "../http/HttpHandler.ts"

/** The package of each file and its path there, by its name on the page. */
export const files = {
  "react.js": ["react", "umd/react.production.min.js"],
  "react-dom.js": ["react-dom", "umd/react-dom.production.min.js"],
  "graphiql.js": ["graphiql", "graphiql.min.js"],
  "graphiql.css": ["graphiql", "graphiql.min.css"]
} as const

/** The folder of the copies in the published package. */
export const folder = "dist/graphiql/library"

const require = createRequire(import.meta.url)
const isSource = import.meta.url.endsWith(".ts")

/**
 * A file as it is served: without the name of its source map, and without fonts. GraphiQL's style sheet holds two, of
 * 360 KB; the fonts of the system take their place.
 */
export const textToServe = (text: string): string =>
  text.replaceAll(/@font-face\s*\{[^}]*\}\s*/g, "").replace(/\n(?:\/\/|\/\*)# sourceMappingURL=.*\s*$/, "\n")

/**
 * GraphiQL and React: copies in the published package, which `prepack` makes; in a checkout, those of the packages
 * that are installed for development.
 */
export const read = async (name: keyof typeof files): Promise<string> => {
  const [library, path] = isSource ? files[name] : ["@dockline/graphql-adapter", join(folder, name)]
  const file = join(dirname(require.resolve(`${library}/package.json`)), path)
  return textToServe(await readFile(file, "utf8"))
}

/** GraphiQL's editor measures and places itself by inline styles; scripts come from files of the service alone. */
export const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'"
].join("; ")

/** The files of the page: those of libraries, and its own. */
export type Part = keyof typeof files | "page.js" | "page.css"

/** The paths of the interface, relative to the page: its own last part, and the root under which tokens are given. */
interface Paths {
  readonly name: string
  readonly root: string
}

/** The name of the page among those of the service. */
const pageName = "GraphiQL"

/** The page. The addresses of its files are relative, as it may stand under a path of a proxy. */
export const html = (
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

/**
 * Signs in and starts GraphiQL. Its requests carry the token, and their answers are event streams, as those of subscriptions are. A token is tried before it
 * is used, so that a wrong one is told on this page; people paste the whole header as well. A new key of the element has
 * the schema asked for again with the new token. The editors get names, as they have none of their own.
 */
export const script = `"use strict"

const key = "dockline-access-token"
const element = (id) => document.getElementById(id)
const signedIn = () => JSON.parse(sessionStorage.getItem(key) ?? "null")

const send = (params, headers, accept, signal, token = signedIn()?.token) =>
  fetch(location.pathname, {
    method: "POST",
    headers: {
      ...headers,
      accept,
      "content-type": "application/json",
      authorization: "Bearer " + token
    },
    body: JSON.stringify(params),
    signal
  })

async function* fetcher(params, { headers = {} } = {}) {
  const aborted = new AbortController()
  try {
    const response = await send(params, headers, "text/event-stream", aborted.signal)
    if (!response.ok || !response.headers.get("content-type")?.startsWith("text/event-stream")) {
      yield await response.json()
      return
    }
    let text = ""
    for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
      const events = (text + chunk).split(/\\r?\\n\\r?\\n/)
      text = events.pop()
      for (const event of events) {
        const lines = event.split(/\\r?\\n/)
        if (lines.includes("event: complete")) return
        const data = lines.filter((line) => line.startsWith("data:")).map((line) => line.slice(5).trimStart())
        if (data.join("") !== "") yield JSON.parse(data.join("\\n"))
      }
    }
  } finally {
    aborted.abort()
  }
}

const example = \`# The shipments, what is on them, and how far they are.
# The button with the triangle runs it.
query Overview {
  shipments(first: 10) {
    nodes {
      id
      shipmentNumber
      status
      dockSlug
      progress { expectedPallets passedPallets }
      orders { orderNumber items { lpn sku quantity } }
    }
  }
}
\`

const root = ReactDOM.createRoot(element("graphiql"))
let used = 0
const show = (said = "") => {
  const session = signedIn()
  element("state").value = said
  element("welcome").hidden = session !== null
  element("out").hidden = element("who").hidden = session === null
  element("who").textContent = session === null ? "" : "Signed in" + (session.client === "" ? "" : " as " + session.client)
  root.render(session === null ? null : React.createElement(GraphiQL, { key: used++, fetcher, defaultQuery: example }))
  if (session === null && said === "") element("client").focus()
}

const use = async (client, token) => {
  const answer = await send({ query: "{ __typename }" }, {}, "application/json", undefined, token)
  if (answer.ok) {
    sessionStorage.setItem(key, JSON.stringify({ client, token }))
    return show()
  }
  const reason = /error_description="([^"]*)"/.exec(answer.headers.get("www-authenticate") ?? "")?.[1]
  show("The service refuses this token" + (reason === undefined ? "." : ": " + reason + "."))
}

const signIn = async () => {
  const answer = await fetch(element("access").dataset.tokens, {
    method: "POST",
    body: new URLSearchParams({
      grant_type: "client_credentials",
      client_id: element("client").value.trim(),
      client_secret: element("secret").value
    })
  })
  const said = await answer.json().catch(() => ({}))
  if (answer.ok) {
    element("secret").value = ""
    return use(element("client").value.trim(), said.access_token)
  }
  show(
    answer.status === 404
      ? "This service gives no tokens itself: use an access token of the issuer that it trusts."
      : "Not signed in: " + (said.error_description ?? answer.status)
  )
}

const usePasted = () => {
  const token = element("token").value.trim().replace(/^(?:Authorization:\\s*)?(?:Bearer\\s+)*/i, "")
  element("token").value = ""
  return use("", token)
}

const onSubmit = (form, submit) =>
  element(form).addEventListener("submit", (event) => {
    event.preventDefault()
    element("state").value = "Signing in…"
    submit().catch((error) => show("The service cannot be reached: " + error.message))
  })
onSubmit("access", signIn)
onSubmit("pasted", usePasted)
element("out").addEventListener("click", () => {
  sessionStorage.removeItem(key)
  show()
})

new MutationObserver(() => {
  for (const editor of document.querySelectorAll(".CodeMirror textarea:not([aria-label])")) {
    const named = editor.closest("[aria-label]") ?? editor.closest(".result-window, .graphiql-response")
    editor.setAttribute("aria-label", named?.getAttribute("aria-label") ?? "Result")
  }
}).observe(element("graphiql"), { childList: true, subtree: true })

show()
`

/**
 * On narrow screens the editors stand one above the other, and the documentation covers them until it is closed: side by side,
 * each would be a column of a few letters.
 */
export const styles = `${headerStyles}:root { color-scheme: light dark; }
body.graphiql-light { color-scheme: light; }
body.graphiql-dark { color-scheme: dark; }
body {
  margin: 0; display: flex; flex-direction: column; height: 100dvh;
  font: 15px/1.5 system-ui, sans-serif; background: light-dark(#fff, #212a3b); color: light-dark(#1f2937, #e5e7eb);
}
body > header { display: flex; gap: 0.5em 1.25em; align-items: baseline; flex-wrap: wrap; padding: 0.5em 1em; }
body > header h1 { font-size: 1rem; margin: 0; }
body > :is(header, main) a { color: light-dark(#14532d, #86efac); }
#out { margin-left: auto; }
main { flex: 1; min-height: 0; display: flex; flex-direction: column; }
#welcome { max-width: 34em; padding: 1em; }
#welcome form { display: flex; gap: 0.75em; align-items: end; flex-wrap: wrap; margin: 1em 0; }
#welcome label { flex: 1 1 12em; display: flex; flex-direction: column; }
#welcome input { font: inherit; padding: 0.35em 0.5em; min-width: 0; }
button { font: inherit; padding: 0.35em 0.9em; }
#state:not(:empty) { display: block; margin-top: 1em; font-weight: 600; }
#welcome[hidden] { display: none; }
#graphiql { flex: 1; min-height: 0; }
#graphiql:empty { display: none; }
@media (max-width: 700px) {
  .graphiql-container #graphiql-session { flex-direction: column; }
  .graphiql-container #graphiql-session > .graphiql-horizontal-drag-bar { display: none; }
  .graphiql-container #graphiql-session > div { min-height: 0; flex: 1 1 0 !important; min-width: 0; }
  .graphiql-main > .graphiql-plugin:not([style*="opacity: 0"]) { flex: 1 !important; min-width: 0; }
  .graphiql-main > .graphiql-plugin:not([style*="opacity: 0"]) ~ * { display: none; }
}
`

const contents: Record<Part, () => string | Promise<string>> = {
  ...Record.map(files, (_, name) => () => read(name)),
  "page.js": () => script,
  "page.css": () => styles
}

const parts = Struct.keys(contents)

const isPart = (name: string): name is Part => Object.hasOwn(contents, name)

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
    schema: (request: HttpServerRequest.HttpServerRequest) => serve(pageOf("schema.graphql"), request),
    file: (request: HttpServerRequest.HttpServerRequest) =>
      Effect.flatMap(
        HttpRouter.params,
        ({ "*": name = "" }) => isPart(name) ? serve(fileOf(name), request) : notFound(request)
      )
  }
}
