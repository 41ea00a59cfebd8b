/**
 * The contracts for machines: the OpenAPI document at `/v1/openapi.json` and `/v1/openapi.yaml`, the AsyncAPI document at
 * `/v1/asyncapi.json`, and the JSON Schema of each type of message at `/v1/schemas/{type}.json`; and the interactive reference of
 * the OpenAPI document, Swagger UI, under `/v1/docs/`. All files come from memory, and need no token.
 */
import type * as Capability from "@dockline/core/capability/Capability"
import { Strategies } from "@dockline/core/document/Strategy"
import * as OperationExamples from "@dockline/core/operations/OperationExamples"
import { ResourceNotFound } from "@dockline/core/values/RequestErrors"
import { Vocabulary } from "@dockline/core/values/Vocabulary"
import { pathOf } from "@dockline/wire/Path"
import { SitePages } from "@dockline/wire/SitePages"
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
import * as Yaml from "../openapi/Yaml.ts"
import * as Page from "./ReferencePage.ts"
import * as SwaggerUi from "./SwaggerUi.ts"

const root = "/v1/docs"

const documentNames = ["openapi.json", "openapi.yaml"] as const

const isDocumentName = (name: string): boolean => documentNames.some((each) => each === name)

const isFileName = (name: string): name is Page.Part => Page.parts.some((each) => each === name)

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
  ...["", ...Page.parts, ...documentNames].map((name) => ({ method: "GET", path: `${root}/${name}` }))
]

/**
 * Each file is made at its first request, because a service starts more often than its reference is read. Files with examples of requests
 * are made again each day, because the times of the examples are those of the day before.
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
        "openapi.yaml": () => Yaml.write(document()),
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
      "": async () => Page.html(await StaticFile.addressesOf(Page.parts, fileOf), pages)
    })
    for (const name of contractNamesOf(capabilities)) {
      yield* router.add(
        "GET",
        `/v1/${name}`,
        (request) => Effect.flatMap(Clock.currentTimeMillis, (now) => serve(contractOf(name, now), request))
      )
    }
    // One route for all files: routers by default ignore a trailing slash and would treat `/v1/docs` like `/v1/docs/`, but the relative
    // links of the page need the slash.
    yield* router.add(
      "GET",
      `${root}/*`,
      (request) =>
        Effect.flatMap(HttpRouter.params, ({ "*": name = "" }) => {
          const path = pathOf(request.url)
          if (name === "" && !path.endsWith("/")) return Effect.succeed(toPage)
          // Readers of the page look for the document beside it.
          if (isDocumentName(name)) return Effect.succeed(toDocument(name))
          if (name === "") return serve(pageOf(name), request)
          return isFileName(name)
            ? serve(fileOf(name), request)
            : Effect.succeed(Answer.problem(new ResourceNotFound({ path })))
        })
    )
  }))

/** Relative, because the service may be below a path of a proxy. */
const toPage = HttpServerResponse.redirect("docs/", { status: 308 })

const toDocument = (name: string) => HttpServerResponse.redirect(`../${name}`, { status: 308 })

/** The program of the page: plain JavaScript, which browsers load as it is. */
const script = new URL("../../page/reference.js", import.meta.url)

const fileOf = StaticFile.keeper<Page.Part>({
  "reference.js": () => readFile(script, "utf8"),
  "reference.css": () => Page.styles,
  "swagger-ui-bundle.js": () => SwaggerUi.read("swagger-ui-bundle.js"),
  "swagger-ui.css": () => SwaggerUi.read("swagger-ui.css"),
  "favicon.svg": () => Page.icon
})

const serve = (file: Promise<StaticFile.StaticFile>, request: HttpServerRequest.HttpServerRequest) =>
  StaticFile.respond(file, request, Page.contentSecurityPolicy)
