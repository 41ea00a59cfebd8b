/**
 * The interactive reference under `/v1/docs/` (WIRE.md, interactive reference): Swagger UI over the OpenAPI
 * document, which lies beside it as `openapi.json`.
 *
 * Guarantee: everything the page needs comes from this service, out of memory, under a Content-Security-Policy that
 * lets it load nothing else. It needs no token; the requests that it sends do.
 */
import { acceptsCoding } from "@dockline/core/internal/Accept"
import { pathOf } from "@dockline/core/internal/Path"
import { notFound } from "@dockline/core/internal/Problem"
import { Strategies } from "@dockline/core/Strategy"
import { Vocabulary } from "@dockline/core/Vocabulary"
import { Effect } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import type { HttpServerRequest } from "effect/http"
import { createHash } from "node:crypto"
import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import { gzip } from "node:zlib"
import * as Problems from "../answer/Problems.ts"
import { openApiOf } from "../api/Api.ts"
import type { HttpConfig } from "../api/HttpConfig.ts"
import type { RoutePattern } from "../api/RouteTable.ts"
import { forBaseUrl } from "../openapi/OpenApiDocument.ts"
import * as Page from "./ReferencePage.ts"

const root = "/v1/docs"

/** The name of each file under `/v1/docs/`, with its media type. */
const files = {
  "": "text/html; charset=utf-8",
  "openapi.json": "application/json",
  "reference.js": "text/javascript; charset=utf-8",
  "reference.css": "text/css; charset=utf-8",
  "swagger-ui-bundle.js": "text/javascript; charset=utf-8",
  "swagger-ui.css": "text/css; charset=utf-8",
  "favicon.svg": "image/svg+xml"
} as const

type FileName = keyof typeof files

const fileNames = Object.keys(files) as ReadonlyArray<FileName>

const isFileName = (name: string): name is FileName => Object.hasOwn(files, name)

/** The routes of {@link layer}, for the table of methods. */
export const routes: ReadonlyArray<RoutePattern> = [
  { method: "GET", path: root },
  ...fileNames.map((name) => ({ method: "GET", path: `${root}/${name}` }))
]

/**
 * The reference of a service at the address that `config` gives, with the strategies and words that it takes. Each file
 * is made when it is first asked for: a service is started more often than its reference is read.
 */
export const layer = ({ baseUrl }: Pick<HttpConfig, "baseUrl">, hasTokens = true) =>
  HttpRouter.use(Effect.fnUntraced(function*(router) {
    const rules = { vocabulary: yield* Vocabulary, strategies: yield* Strategies }
    const fileOf = keeper(() => JSON.stringify(forBaseUrl(openApiOf(rules, hasTokens), baseUrl)))
    // One route for all: a router that disregards a slash at the end, as routers do unless told not to, takes
    // `/v1/docs` and `/v1/docs/` for the same, which they are not to the relative links of a page.
    yield* router.add(
      "GET",
      `${root}/*`,
      (request) =>
        Effect.flatMap(HttpRouter.params, ({ "*": name = "" }) => {
          const path = pathOf(request.url)
          if (name === "" && !path.endsWith("/")) return Effect.succeed(toPage)
          return isFileName(name)
            ? Effect.map(Effect.promise(() => fileOf(name)), (file) => serve(file, request))
            : Effect.succeed(Problems.toResponse(notFound(path)))
        })
    )
  }))

/** Relative, as the service may stand under a path of a proxy. */
const toPage = HttpServerResponse.redirect("docs/", { status: 308 })

const swaggerUi = dirname(createRequire(import.meta.url).resolve("swagger-ui-dist/package.json"))

/** Makes each file once; one that could not be made is made again when it is asked for again. */
const keeper = (openApi: () => string): (name: FileName) => Promise<File> => {
  const contents: Record<FileName, () => string | Promise<string>> = {
    "": () => Page.html,
    "openapi.json": openApi,
    "reference.js": () => Page.script,
    "reference.css": () => Page.styles,
    "swagger-ui-bundle.js": () => readAsset("swagger-ui-bundle.js"),
    "swagger-ui.css": () => readAsset("swagger-ui.css"),
    "favicon.svg": () => Page.icon
  }
  const make = async (name: FileName): Promise<File> => toFile(files[name], await contents[name]())
  const made = new Map<FileName, Promise<File>>()
  return (name) => {
    const known = made.get(name)
    if (known !== undefined) return known
    const file = make(name)
    made.set(name, file)
    file.catch(() => made.delete(name))
    return file
  }
}

/** An asset without the name of its source map, which is not served. */
const readAsset = async (name: string): Promise<string> =>
  (await readFile(join(swaggerUi, name), "utf8")).replace(/\n(?:\/\/|\/\*)# sourceMappingURL=.*\s*$/, "\n")

/** One way to write a file, with the entity tag of exactly these bytes. */
interface Representation {
  readonly bytes: Uint8Array
  readonly etag: string
  readonly encoding?: "gzip"
}

interface File {
  readonly contentType: string
  readonly plain: Representation
  readonly gzipped: Representation
}

const compress = promisify(gzip)

const toFile = async (contentType: string, content: string): Promise<File> => {
  const bytes = Buffer.from(content)
  const hash = createHash("sha256").update(bytes).digest("base64url").slice(0, 22)
  return {
    contentType,
    plain: { bytes, etag: `"${hash}"` },
    gzipped: { bytes: await compress(bytes), etag: `"${hash}-gzip"`, encoding: "gzip" }
  }
}

const serve = (
  { contentType, plain, gzipped }: File,
  request: HttpServerRequest.HttpServerRequest
): HttpServerResponse.HttpServerResponse => {
  const { bytes, etag, encoding } = acceptsCoding(request.headers["accept-encoding"], "gzip")
    ? gzipped
    : plain
  const headers = {
    etag,
    // Asked for again each time, so that no part of the page is older than another; the answer then is 304.
    "cache-control": "no-cache",
    vary: "accept-encoding",
    "content-security-policy": Page.contentSecurityPolicy,
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    ...(encoding === undefined ? {} : { "content-encoding": encoding })
  }
  return isKnown(etag, request.headers["if-none-match"])
    ? HttpServerResponse.empty({ status: 304, headers })
    : HttpServerResponse.uint8Array(bytes, { contentType, headers })
}

/** Whether the browser holds these bytes already (RFC 9110, section 13.1.2). */
const isKnown = (etag: string, header: string | undefined): boolean =>
  header !== undefined &&
  header.split(",").map((tag) => tag.trim().replace(/^W\//, "")).some((tag) => tag === etag || tag === "*")
