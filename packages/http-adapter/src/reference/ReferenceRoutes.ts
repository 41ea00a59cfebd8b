/**
 * The contracts for machines: the OpenAPI document at `/v1/openapi.json` and `/v1/openapi.yaml` (D16.1), the AsyncAPI document at
 * `/v1/asyncapi.json`, and the JSON Schema of each type of message at `/v1/schemas/{type}.json` (D16.2). Also Swagger UI, the interactive
 * reference of the OpenAPI document, under `/v1/docs/`, without inline scripts and styles, and without other hosts.
 *
 * Guarantee: all files are served from memory, and need no token.
 *
 * Texts in YAML are in double quotes, which YAML reads as JSON does.
 */
import type * as Capability from "@dockline/core/capability/Capability"
import { Strategies } from "@dockline/core/document/Strategy"
import * as OperationExamples from "@dockline/core/operations/OperationExamples"
import { ResourceNotFound } from "@dockline/core/values/RequestErrors"
import { Vocabulary } from "@dockline/core/values/Vocabulary"
import { pathOf } from "@dockline/wire/Path"
import { header, headerStyles, SitePages } from "@dockline/wire/SitePages"
import type { SitePage } from "@dockline/wire/SitePages"
import * as StaticFile from "@dockline/wire/StaticFile"
import { Clock, Effect, Record } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import type { HttpServerRequest } from "effect/http"
import { readFile } from "node:fs/promises"
import * as Answer from "../answer/Answer.ts"
import type { RoutePattern } from "../answer/RouteTable.ts"
import type { RestCapability } from "../api/Parts.ts"
import type { HttpConfig } from "../HttpConfig.ts"
import { asyncApiOf } from "../openapi/AsyncApiDocument.ts"
import { messagesOf, schemaFileOf } from "../openapi/MessageContracts.ts"
import { forReaders, openApiOf } from "../openapi/OpenApiDocument.ts"
import type { Json } from "../openapi/OpenApiSchemas.ts"
import * as SwaggerUi from "./SwaggerUi.ts"

export const write = (value: Json): string => `${block(value, "").trimStart()}\n`

/** A value in YAML after its key, or after the dash of its list: on the same line, or on the lines below. */
const block = (value: Json | undefined, indent: string): string => {
  const inner = `${indent}  `
  if (Array.isArray(value) && value.length > 0) {
    return value.map((item: Json) => `\n${indent}- ${block(item, inner).trimStart()}`).join("")
  }
  if (typeof value === "object" && value !== null && Object.keys(value).length > 0) {
    return Object.entries(value).flatMap(([key, member]) =>
      member === undefined ? [] : [`\n${indent}${keyOf(key)}:${block(member, inner)}`]
    ).join("")
  }
  return ` ${JSON.stringify(value ?? null)}`
}

/** A key of YAML; in quotes if YAML would not read it as text, such as `true`, `null` and numbers. */
const keyOf = (key: string): string =>
  /^[a-z$_][\w$/-]*$/i.test(key) && !/^(?:true|false|null|yes|no|on|off|y|n)$/i.test(key)
    ? key
    : JSON.stringify(key)

/** The policy permits icons in `data:` URLs, which the style sheet of Swagger UI holds. No other page may frame the page. */
export const contentSecurityPolicy = StaticFile.pagePolicy({ "img-src": "'self' data:" })

export const parts = [
  "reference.js",
  "reference.css",
  "swagger-ui-bundle.js",
  "swagger-ui.css",
  "favicon.svg"
] as const

export type Part = typeof parts[number]

/** The name of this page in the header of the pages. */
const pageName = "REST reference"

/** The page `GET /v1/docs/`. The addresses of its files are relative, because the page may be below a path of a proxy. */
export const html = (addresses: Readonly<Record<Part, string>>, pages: ReadonlyArray<SitePage>): string =>
  `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Dockline: interactive reference</title>
<link rel="icon" href="${addresses["favicon.svg"]}" type="image/svg+xml">
<link rel="stylesheet" href="${addresses["swagger-ui.css"]}">
<link rel="stylesheet" href="${addresses["reference.css"]}">
<script defer src="${addresses["swagger-ui-bundle.js"]}"></script>
<script defer src="${addresses["reference.js"]}"></script>
</head>
<body>
${
    header(pages, pageName)
  }<noscript>The reference needs JavaScript. Without it, read <a href="../openapi.json">openapi.json</a>.</noscript>
<div id="reference"></div>
</body>
</html>
`

/**
 * The page shows the answer above the request. Wide content scrolls by itself, so that the page fits a telephone. There is no choice of a
 * server, because only this server serves the page, nor of scopes, because there are none. Errors appear where they occur. The colours of
 * Swagger UI are made dark or light enough to read.
 */
export const styles = `body { margin: 0; }
${headerStyles}.site-bar { color-scheme: light dark; }
.swagger-ui textarea.body-param__text { min-height: 28em; }
.swagger-ui .auth-container input { width: 100%; max-width: none; box-sizing: border-box; }
.swagger-ui .responses-inner div:has(> .live-responses-table) { display: flex; flex-direction: column; }
.swagger-ui .responses-inner .curl-command { order: 1; }
.swagger-ui .responses-inner div:has(> .request-url) { order: 2; }
.swagger-ui .responses-wrapper, .swagger-ui .parameters-container { overflow-x: auto; }
.swagger-ui .response-col_links { display: none; }
.swagger-ui .scheme-container .schemes > .schemes-server-container { display: none; }
html:not(.dark-mode) .swagger-ui .info :is(a, .url) { color: #1d5fa6; }
html:not(.dark-mode) .swagger-ui :is(.opblock-summary-method, .version-stamp pre) { color: #1b1b1b; text-shadow: none; }
html:not(.dark-mode) .swagger-ui .btn.authorize { border-color: #187a45; color: #187a45; }
html:not(.dark-mode) .swagger-ui .btn.authorize svg { fill: #187a45; }
.swagger-ui :is(.scope-def, .auth-container .errors b) { display: none; }
.swagger-ui .auth-container .errors { width: auto; margin: 10px 0; }
.swagger-ui .errors-wrapper { display: none; }
.swagger-ui .filter-container .filter { display: block; }
.swagger-ui .filter .operation-filter-input { box-sizing: border-box; max-width: none; }
.swagger-ui .info summary { cursor: pointer; font-weight: 600; }
.swagger-ui .info { margin: 30px 0 20px; }
.swagger-ui .scheme-container { padding: 15px 0; }
html.dark-mode .swagger-ui :is(.example__section-header, .examples-select__section-label, .header-col) { color: #e4e6e6; }
html.dark-mode .swagger-ui .opblock .opblock-section-header .try-out__btn.cancel { border-color: #ff8a8a; color: #ff8a8a; }
html:not(.dark-mode) .swagger-ui .btn.cancel { border-color: #b3261e; color: #b3261e; }
html:not(.dark-mode) .swagger-ui .btn.execute { background-color: #1d5fa6; border-color: #1d5fa6; }
html:not(.dark-mode) .swagger-ui :is(.parameter__in, .parameter__extension) { color: #595959; }
html:not(.dark-mode) .swagger-ui .opblock-section-request-body .opblock-title small,
html:not(.dark-mode) .swagger-ui .parameter__name.required:is(:after, *) { color: #b3261e; }
.swagger-ui .download-contents { background: #4b5563 !important; color: #fff !important; }
.swagger-ui .microlight .language-json span[style*="rgb(211, 99, 99)"] { color: #ff9d9d !important; }
@media (max-width: 600px) {
  .swagger-ui .highlight-code .download-contents { display: none; }
  .swagger-ui .opblock-tag { flex-wrap: wrap; }
  .swagger-ui .opblock-tag small { order: 1; flex: 0 0 100%; padding: 0; }
  .swagger-ui .dialog-ux .modal-ux { width: 100%; min-width: 0; max-width: 100vw; }
}
`

export const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">\
<rect width="32" height="32" rx="6" fill="#14532d"/>\
<path d="M5 10h13v11H5zM19 14h5l3 4v3h-8z" fill="#fff"/>\
<circle cx="10" cy="23" r="2.5" fill="#fff"/><circle cx="22" cy="23" r="2.5" fill="#fff"/></svg>
`

const root = "/v1/docs"

const documentNames = ["openapi.json", "openapi.yaml"] as const

const isDocumentName = (name: string): boolean => documentNames.some((each) => each === name)

const isFileName = (name: string): name is Part => parts.some((each) => each === name)

/** The JSON Schema of each type of message. */
const schemaFilesOf = (capabilities: Capability.List): Readonly<Record<string, () => string>> =>
  Object.fromEntries(
    messagesOf(capabilities).map((message) => [
      `schemas/${message.type}.json`,
      () => JSON.stringify(schemaFileOf(message))
    ])
  )

const contractNamesOf = (capabilities: Capability.List): ReadonlyArray<string> => [
  ...documentNames,
  "asyncapi.json",
  ...Record.keys(schemaFilesOf(capabilities))
]

export const routesOf = (capabilities: Capability.List): ReadonlyArray<RoutePattern> => [
  ...contractNamesOf(capabilities).map((name) => ({ method: "GET", path: `/v1/${name}` })),
  { method: "GET", path: root },
  ...["", ...parts, ...documentNames].map((name) => ({ method: "GET", path: `${root}/${name}` }))
]

/**
 * Makes each file at its first request, because a service starts more often than its reference is read. Files with example requests are
 * made again each day, because their times are on the day before.
 */
export const layer = (
  { baseUrl }: Pick<HttpConfig, "baseUrl">,
  capabilities: ReadonlyArray<RestCapability>,
  hasTokens = true
) =>
  HttpRouter.use(Effect.fnUntraced(function*(router) {
    const rules = { vocabulary: yield* Vocabulary, strategies: yield* Strategies }
    const contractsAt = (now: number) => {
      const document = () => forReaders(openApiOf(rules, hasTokens, capabilities), baseUrl, now)
      return StaticFile.keeper<string>({
        "openapi.json": () => JSON.stringify(document()),
        "openapi.yaml": () => write(document()),
        "asyncapi.json": () => JSON.stringify(asyncApiOf(baseUrl, capabilities)),
        ...schemaFilesOf(capabilities)
      })
    }
    let contracts = { day: Number.NaN, contractOf: contractsAt(0) }
    const contractOf = (name: string, now: number) => {
      const day = OperationExamples.dayOf(now)
      if (contracts.day !== day) contracts = { day, contractOf: contractsAt(now) }
      return contracts.contractOf(name)
    }
    const pages = yield* SitePages
    const pageOf = StaticFile.keeper({
      "": async () => html(await StaticFile.addressesOf(parts, fileOf), pages)
    })
    for (const name of contractNamesOf(capabilities)) {
      yield* router.add(
        "GET",
        `/v1/${name}`,
        (request) => Effect.flatMap(Clock.currentTimeMillis, (now) => serve(contractOf(name, now), request))
      )
    }
    // There is one route for all files, because routers by default ignore a trailing slash and would treat `/v1/docs` like `/v1/docs/`. The
    // relative links of the page need the slash.
    yield* router.add(
      "GET",
      `${root}/*`,
      (request) =>
        Effect.flatMap(HttpRouter.params, ({ "*": name = "" }) => {
          const path = pathOf(request.url)
          if (name === "" && !path.endsWith("/")) return Effect.succeed(toPage)
          // Readers of the page may look for the document beside the page.
          if (isDocumentName(name)) return Effect.succeed(toDocument(name))
          if (name === "") return serve(pageOf(name), request)
          return isFileName(name)
            ? serve(fileOf(name), request)
            : Effect.succeed(Answer.problem(new ResourceNotFound({ path })))
        })
    )
  }))

/** The address is relative, because the service may be below a path of a proxy. */
const toPage = HttpServerResponse.redirect("docs/", { status: 308 })

const toDocument = (name: string) => HttpServerResponse.redirect(`../${name}`, { status: 308 })

/** The script of the page: plain JavaScript, which browsers load unchanged. */
const script = new URL("../../page/reference.js", import.meta.url)

const fileOf = StaticFile.keeper<Part>({
  "reference.js": () => readFile(script, "utf8"),
  "reference.css": () => styles,
  "swagger-ui-bundle.js": () => SwaggerUi.read("swagger-ui-bundle.js"),
  "swagger-ui.css": () => SwaggerUi.read("swagger-ui.css"),
  "favicon.svg": () => icon
})

const serve = (file: Promise<StaticFile.StaticFile>, request: HttpServerRequest.HttpServerRequest) =>
  StaticFile.respond(file, request, contentSecurityPolicy)
