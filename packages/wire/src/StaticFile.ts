/**
 * Serves files for browsers, such as the parts of a page (RFC 9110, RFC 9111). Browsers may cache a file for a year under an address with
 * its version, and revalidate every other address. A file that the browser has is not sent again.
 */
import { sha256 } from "@dockline/core/values/WebCrypto"
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { acceptsCoding } from "./MediaType.ts"
import * as Problem from "./Problem.ts"

/**
 * A file for browsers with its content codings. `version` is the beginning of a hash of the content, and part of the entity tags of the
 * file.
 */
export interface StaticFile {
  readonly contentType: string
  readonly version: string
  readonly plain: Uint8Array
  readonly gzip: Uint8Array
  /** The file in Brotli, if it was compressed at build time. */
  readonly brotli?: Uint8Array
}

/** The media types by the ending of a name. A file without a name is the page of its folder. */
const contentTypes: Readonly<Record<string, string>> = {
  "": "text/html; charset=utf-8",
  css: "text/css; charset=utf-8",
  // The media type is text, so that browsers show the file.
  graphql: "text/plain; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  json: "application/json",
  svg: "image/svg+xml",
  yaml: "application/yaml"
}

/** The media type of a file by the ending of its name; `application/octet-stream` for an unknown one. */
export const contentTypeOf = (name: string): string =>
  contentTypes[name.slice(name.lastIndexOf(".") + 1)] ?? "application/octet-stream"

const make = async (name: string, content: string): Promise<StaticFile> => {
  const plain = new TextEncoder().encode(content)
  const compression = new Blob([plain]).stream().pipeThrough(new CompressionStream("gzip"))
  return {
    contentType: contentTypeOf(name),
    version: (await Effect.runPromise(sha256(content))).slice(0, 16),
    plain,
    gzip: new Uint8Array(await new Response(compression).arrayBuffer())
  }
}

/**
 * Makes each file at its first request and keeps it, because a service starts more often than its pages are read. A failure is not kept.
 */
export const keeper = <Name extends string>(
  contents: Readonly<Record<Name, () => string | Promise<string>>>
): (name: Name) => Promise<StaticFile> => {
  const files = new Map<Name, Promise<StaticFile>>()
  const start = async (name: Name): Promise<StaticFile> => make(name, await contents[name]())
  return (name) => {
    const cachedFile = files.get(name)
    if (cachedFile !== undefined) return cachedFile
    const file = start(name)
    files.set(name, file)
    file.catch(() => files.delete(name))
    return file
  }
}

/** The address with a version for each name, relative to the folder of the files. */
export const addressesOf = async <Name extends string>(
  names: ReadonlyArray<Name>,
  fileOf: (name: Name) => Promise<StaticFile>
): Promise<Readonly<Record<Name, string>>> => {
  const addresses = names.map(async (name) => [name, `${name}?v=${(await fileOf(name)).version}`] as const)
  return Object.fromEntries(await Promise.all(addresses)) as Record<Name, string>
}

interface FileRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string | undefined>>
}

interface FileAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** The body; `undefined` if there is none. */
  readonly body: Uint8Array | undefined
}

/**
 * The Content-Security-Policy of a page that may load scripts, styles, images and data only from its own host, holds no inline script or
 * style, sends no form, and may not be framed. The directives of `own` replace and extend it.
 */
export const pagePolicy = (own: Readonly<Record<string, string>> = {}): string => {
  const directives = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self'",
    "connect-src": "'self'",
    "base-uri": "'none'",
    "form-action": "'none'",
    "frame-ancestors": "'none'",
    ...own
  }
  return Object.entries(directives).map(([name, sources]) => `${name} ${sources}`).join("; ")
}

/**
 * Answers a request for a file, with the Content-Security-Policy of its page. Answers 404 if the file is not installed, as in a checkout
 * without the development dependencies.
 */
export const answer = (
  file: Promise<StaticFile>,
  request: FileRequest,
  contentSecurityPolicy: string
): Effect.Effect<FileAnswer> =>
  Effect.matchEffect(Effect.tryPromise({ try: () => file, catch: (cause) => cause }), {
    onSuccess: (staticFile) => Effect.succeed(foundAnswer(staticFile, request, contentSecurityPolicy)),
    onFailure: (cause) => Effect.as(Effect.logWarning(notInstalled.detail, cause), absent)
  })

/** The answer as a response of a router, with further headers. */
export const respond = (
  ...[file, request, contentSecurityPolicy, further]: [
    ...Parameters<typeof answer>,
    further?: FileAnswer["headers"]
  ]
): Effect.Effect<HttpServerResponse.HttpServerResponse> =>
  Effect.map(answer(file, request, contentSecurityPolicy), ({ body, headers, status }) => {
    const options = { status, headers: { ...headers, ...further } }
    return body === undefined
      ? HttpServerResponse.empty(options)
      : HttpServerResponse.uint8Array(body, options)
  })

/** The problem of a page whose files are missing. */
export const notInstalled = Problem.problem(
  404,
  "RESOURCE_NOT_FOUND",
  "The pages for browsers are not installed: they are in the published packages, and in a checkout with its development dependencies"
)

const absent: FileAnswer = {
  status: notInstalled.status,
  headers: { "content-type": Problem.mediaType, "cache-control": "no-store" },
  body: new TextEncoder().encode(JSON.stringify(notInstalled))
}

const foundAnswer = (
  { brotli, contentType, gzip, plain, version }: StaticFile,
  { headers, url }: FileRequest,
  contentSecurityPolicy: string
): FileAnswer => {
  const codings = headers["accept-encoding"]
  const [coding, content] = brotli !== undefined && acceptsCoding(codings, "br")
    ? ["br", brotli] as const
    : acceptsCoding(codings, "gzip")
    ? ["gzip", gzip] as const
    : [undefined, plain] as const
  const etag = coding === undefined ? `"${version}"` : `"${version}-${coding}"`
  const isKnown = isListed(etag, headers["if-none-match"])
  return {
    status: isKnown ? 304 : 200,
    headers: {
      ...(isKnown ? {} : { "content-type": contentType }),
      etag,
      "cache-control": isVersioned(url, version) ? "public, max-age=31536000, immutable" : "no-cache",
      vary: "accept-encoding",
      "content-security-policy": contentSecurityPolicy,
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      ...(coding === undefined ? {} : { "content-encoding": coding })
    },
    body: isKnown ? undefined : content
  }
}

/** Whether an address has the version, in its query or in the name of the file. */
const isVersioned = (url: string, version: string): boolean =>
  url.endsWith(`?v=${version}`) || url.includes(`-${version}.`)

/** Whether an `If-None-Match` names an entity tag (RFC 9110, section 13.1.2). */
const isListed = (etag: string, header: string | undefined): boolean =>
  header !== undefined &&
  header.split(",").map((tag) => tag.trim().replace(/^W\//, "")).some((tag) => tag === etag || tag === "*")
