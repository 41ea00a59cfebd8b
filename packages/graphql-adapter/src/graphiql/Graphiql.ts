/**
 * GraphiQL, the interactive reference of GraphQL, at the same path for browsers (D8.8).
 *
 * Guarantee: everything the page needs comes from this service, out of memory, under a Content-Security-Policy that
 * lets it load nothing else. It needs no token; the requests that it sends do.
 */
import { acceptsCoding, graphqlType } from "@dockline/core/internal/Accept"
import { pathOf } from "@dockline/core/internal/Path"
import { notFound } from "@dockline/core/internal/Problem"
import { Effect } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import type { HttpServerRequest } from "effect/http"
import { createHash } from "node:crypto"
import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import { gzip } from "node:zlib"
import type { GraphqlConfig } from "../GraphqlConfig.ts"
import * as HttpProblems from "../http/HttpProblems.ts"
import * as Page from "./GraphiqlPage.ts"

const require = createRequire(import.meta.url)

const packageFile = (name: string, file: string): string =>
  join(dirname(require.resolve(`${name}/package.json`)), file)

const script = "text/javascript; charset=utf-8"
const styles = "text/css; charset=utf-8"

/** The files of the page: what they are called, what they are and where they come from. */
const sources: ReadonlyArray<readonly [name: string, contentType: string, read: () => Promise<string>]> = [
  ["react.js", script, () => readAsset("react", "umd/react.production.min.js")],
  ["react-dom.js", script, () => readAsset("react-dom", "umd/react-dom.production.min.js")],
  ["graphiql.js", script, () => readAsset("graphiql", "graphiql.min.js")],
  ["graphiql.css", styles, () => readAsset("graphiql", "graphiql.min.css")],
  ["page.js", script, () => Promise.resolve(Page.script)],
  ["page.css", styles, () => Promise.resolve(Page.styles)]
]

/** An asset without the name of its source map, which is not served. */
const readAsset = async (name: string, file: string): Promise<string> =>
  (await readFile(packageFile(name, file), "utf8"))
    .replace(/\n(?:\/\/|\/\*)# sourceMappingURL=.*\s*$/, "\n")

interface File {
  readonly contentType: string
  readonly version: string
  readonly plain: Uint8Array
  readonly gzipped: Uint8Array
}

const compress = promisify(gzip)

const readFiles = async (): Promise<ReadonlyMap<string, File>> =>
  new Map(
    await Promise.all(sources.map(async ([name, contentType, read]) => {
      const plain = Buffer.from(await read())
      const version = createHash("sha256").update(plain).digest("base64url").slice(0, 16)
      return [name, { contentType, version, plain, gzipped: await compress(plain) }] as const
    }))
  )

const headers = {
  "content-security-policy": Page.contentSecurityPolicy,
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff"
}

/** Whether a browser asks for a page: programs want data before they want HTML. */
const wantsPage = ({ method, headers: { accept } }: HttpServerRequest.HttpServerRequest): boolean =>
  method === "GET" && graphqlType(accept) === "text/html"

/**
 * The way from the path with a slash at its end, below which no file of the page is, to the path; relative, as it may
 * stand under a path of a proxy.
 */
const withoutSlash = (url: string, path: string): HttpServerResponse.HttpServerResponse | undefined => {
  const [asked = "", search] = url.split(/\?(.*)/s, 2)
  if (!asked.endsWith("/") || path.endsWith("/")) return undefined
  const location = `../${path.slice(path.lastIndexOf("/") + 1)}${search === undefined ? "" : `?${search}`}`
  return HttpServerResponse.empty({ status: 308, headers: { location } })
}

/** Makes the page. Its files are read once. */
export const make = Effect.fnUntraced(function*({ path }: Pick<GraphqlConfig, "path">) {
  const files = yield* Effect.promise(readFiles)
  const folder = `${path.slice(path.lastIndexOf("/") + 1)}/graphiql`
  const html = Page.html((name) => `${folder}/${name}?v=${files.get(name)?.version}`)
  const page = HttpServerResponse.text(html, {
    contentType: "text/html; charset=utf-8",
    headers: { ...headers, "cache-control": "no-cache", vary: "accept" }
  })
  return {
    /** The page, if that is what the request asks for. */
    page: (request: HttpServerRequest.HttpServerRequest) =>
      wantsPage(request) ? Effect.succeed(withoutSlash(request.url, path) ?? page) : undefined,
    /** A file of the page. Its address changes with its content, so that it can be kept for ever. */
    file: (request: HttpServerRequest.HttpServerRequest) =>
      Effect.map(HttpRouter.params, ({ "*": name = "" }) => {
        const file = files.get(name)
        if (file === undefined) return HttpProblems.respond(notFound(pathOf(request.url)))
        const zipped = acceptsCoding(request.headers["accept-encoding"], "gzip")
        return HttpServerResponse.uint8Array(zipped ? file.gzipped : file.plain, {
          contentType: file.contentType,
          headers: {
            ...headers,
            "cache-control": "public, max-age=31536000, immutable",
            vary: "accept-encoding",
            ...(zipped ? { "content-encoding": "gzip" } : {})
          }
        })
      })
  }
})
