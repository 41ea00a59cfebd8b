/**
 * The interactive reference under `/v1/docs/`: Swagger UI over `openapi.json`. All files come from memory, and the
 * page needs no token.
 */
import { pathOf } from "@dockline/core/internal/wire/Path"
import * as StaticFile from "@dockline/core/internal/wire/StaticFile"
import { ResourceNotFound } from "@dockline/core/RequestErrors"
import { Strategies } from "@dockline/core/Strategy"
import { Vocabulary } from "@dockline/core/Vocabulary"
import { Effect } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import type { HttpServerRequest } from "effect/http"
import * as Answer from "../answer/Answer.ts"
import type { RoutePattern } from "../answer/RouteTable.ts"
import type { HttpConfig } from "../HttpConfig.ts"
import { forBaseUrl, openApiOf } from "../openapi/OpenApiDocument.ts"
import * as Page from "./ReferencePage.ts"
import * as SwaggerUi from "./SwaggerUi.ts"

const root = "/v1/docs"

type FileName = Page.Part | "" | "openapi.json"

const fileNames: ReadonlyArray<FileName> = ["", "openapi.json", ...Page.parts]

const isFileName = (name: string): name is FileName => fileNames.some((each) => each === name)

export const routes: ReadonlyArray<RoutePattern> = [
  { method: "GET", path: root },
  ...fileNames.map((name) => ({ method: "GET", path: `${root}/${name}` }))
]

/** Each file is made at its first request: a service is started more often than its reference is read. */
export const layer = ({ baseUrl }: Pick<HttpConfig, "baseUrl">, hasTokens = true) =>
  HttpRouter.use(Effect.fnUntraced(function*(router) {
    const rules = { vocabulary: yield* Vocabulary, strategies: yield* Strategies }
    const fileOf = filesOf(() => JSON.stringify(forBaseUrl(openApiOf(rules, hasTokens), baseUrl)))
    // One route for all: a router that ignores a trailing slash, as routers do by default, would not tell `/v1/docs` from
    // `/v1/docs/`, from which the relative links of the page start.
    yield* router.add(
      "GET",
      `${root}/*`,
      (request) =>
        Effect.flatMap(HttpRouter.params, ({ "*": name = "" }) => {
          const path = pathOf(request.url)
          if (name === "" && !path.endsWith("/")) return Effect.succeed(toPage)
          return isFileName(name)
            ? serve(fileOf(name), request)
            : Effect.succeed(Answer.problem(new ResourceNotFound({ path: path })))
        })
    )
  }))

/** Relative, as the service may lie under a path of a proxy. */
const toPage = HttpServerResponse.redirect("docs/", { status: 308 })

const filesOf = (openApi: () => string) => {
  const fileOf: (name: FileName) => Promise<StaticFile.StaticFile> = StaticFile.keeper<FileName>({
    "": async () => Page.html(await StaticFile.addressesOf(Page.parts, fileOf)),
    "openapi.json": openApi,
    "reference.js": () => Page.script,
    "reference.css": () => Page.styles,
    "swagger-ui-bundle.js": () => SwaggerUi.read("swagger-ui-bundle.js"),
    "swagger-ui.css": () => SwaggerUi.read("swagger-ui.css"),
    "favicon.svg": () => Page.icon
  })
  return fileOf
}

const serve = (file: Promise<StaticFile.StaticFile>, request: HttpServerRequest.HttpServerRequest) =>
  Effect.map(
    StaticFile.answer(file, request, Page.contentSecurityPolicy),
    ({ body, headers, status }) =>
      body === undefined
        ? HttpServerResponse.empty({ status, headers })
        : HttpServerResponse.uint8Array(body, { status, headers })
  )
