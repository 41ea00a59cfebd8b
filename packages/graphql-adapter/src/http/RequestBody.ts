/**
 * Reads the operation of a request over HTTP: from the parameters of a GET, from JSON as REST reads it (D2.6), or from a multipart
 * request, whose files are named by the GraphQL multipart request convention or, without `map`, by the paths of their variables (D8.5).
 *
 * Guarantee: bodies, parts, their number and their sizes are bounded. A file takes the place of a `null` in the variables and of nothing
 * else.
 */
import { waitAside } from "@dockline/core/access/RequestLimits"
import * as JsonText from "@dockline/core/input/JsonText"
import * as Slices from "@dockline/core/input/Slices"
import { MalformedRequest } from "@dockline/core/values/Errors"
import type { Overloaded } from "@dockline/core/values/RequestErrors"
import { PayloadTooLarge } from "@dockline/core/values/RequestErrors"
import * as BoundedBody from "@dockline/wire/BoundedBody"
import * as ContentType from "@dockline/wire/ContentType"
import { Effect, Predicate, Stream } from "effect"
import { Multipart } from "effect/http"
import type { HttpServerRequest } from "effect/http"
import type { GraphqlRequest } from "../engine/GraphqlOperation.ts"
import type { GraphqlConfig } from "../GraphqlConfig.ts"

const maxFiles = 10

/** Files, and the fields of both forms of multipart requests. */
const maxParts = maxFiles + 5

/** The size of a body from which on its variables take a turn of the event loop of their own. */
const longBody = 65_536

const readType = ContentType.reader("application/json", "multipart/form-data")

/** Reads the operation of a request. */
export const readOperation = Effect.fnUntraced(function*(
  request: HttpServerRequest.HttpServerRequest,
  config: GraphqlConfig
) {
  if (request.method === "GET") return yield* operationOf(yield* parametersOf(request.url), "query")
  const { format } = yield* Effect.fromResult(readType(request.headers))
  if (format === "multipart") return yield* readMultipart(request, config)
  const bytes = yield* BoundedBody.read(request, config.bodyLimit).pipe(
    Effect.catchTag("HttpServerError", () => Effect.fail(incomplete))
  )
  const body = yield* readJson(bytes, "body")
  if (bytes.length > longBody) yield* Slices.pause
  return yield* operationOf(body, "body")
})

const parametersOf = Effect.fnUntraced(function*(url: string) {
  const members: Record<string, unknown> = {}
  for (const [name, text] of new URLSearchParams(url.split("?", 2)[1])) {
    const isJson = name === "variables" || name === "extensions"
    if (!Object.hasOwn(members, name) && !(isJson && text === "")) {
      members[name] = isJson ? yield* readJson(text, name) : text
    }
  }
  return members
})

/** The refusal of a request for the part at `path`. */
const malformed = (detail: string, path: string): MalformedRequest =>
  new MalformedRequest({ errors: [{ path, detail }] })

const incomplete = malformed("ended before it was complete", "body")

/** Reads JSON; `part` names the part of the request that holds it. */
const readJson = (json: Uint8Array | string, part: string): Effect.Effect<unknown, MalformedRequest> =>
  JsonText.read(json).pipe(
    Effect.map(({ value }) => value),
    Effect.mapError(({ errors }) =>
      new MalformedRequest({
        errors: errors.map(({ path, detail }) => ({
          // All paths begin in the body, so it is not named.
          path: path === "" ? part : part === "body" ? path : `${part}.${path}`,
          detail
        }))
      })
    )
  )

/** The operation that the members of a JSON object ask for; `part` names the part of the request that holds it. */
const operationOf = Effect.fnUntraced(function*(
  members: unknown,
  part: string
): Effect.fn.Return<GraphqlRequest, MalformedRequest> {
  if (Array.isArray(members)) {
    return yield* malformed("is a list; batches are not taken: send one operation a request", part)
  }
  if (!Predicate.isObject(members)) return yield* malformed("must be an object", part)
  const { query, operationName = null, variables = null, extensions = null } = members
  if (typeof query !== "string") return yield* malformed("must be text: the document", "query")
  if (operationName !== null && typeof operationName !== "string") {
    return yield* malformed("must be text", "operationName")
  }
  if (!isRecordOrNull(variables)) return yield* malformed("must be an object", "variables")
  if (!isRecordOrNull(extensions)) return yield* malformed("must be an object", "extensions")
  return { query, operationName, variables }
})

const isRecordOrNull = (value: unknown): value is Record<string, unknown> | null =>
  value === null || Predicate.isObject(value)

const readMultipart = Effect.fnUntraced(function*(
  request: HttpServerRequest.HttpServerRequest,
  config: GraphqlConfig
): Effect.fn.Return<GraphqlRequest, MalformedRequest | Overloaded | PayloadTooLarge> {
  const { fields, files } = yield* waitAside(request.source, readParts(request, config))
  const operation = yield* operationIn(fields)
  const variables = { ...operation.variables }
  const map = fields.get("map")
  const places = map === undefined
    ? new Map(Array.from(files.keys(), (name) => [name, [name.replace(/^variables\./, "")]]))
    : yield* placesOf(yield* readJson(map, "map"))
  for (const name of files.keys()) {
    if (!places.has(name)) return yield* malformed("is a file that map does not mention", name)
  }
  for (const [name, paths] of places) {
    const file = files.get(name)
    if (file === undefined) {
      return yield* malformed("is mentioned in map; send a file part of that name", name)
    }
    for (const path of paths) {
      if (place(variables, path.split("."), file)) continue
      return yield* malformed(
        `is to take the place of the variable ${path}, where the variables must hold null`,
        name
      )
    }
  }
  return { ...operation, variables }
})

const readParts = Effect.fnUntraced(function*(
  request: HttpServerRequest.HttpServerRequest,
  config: GraphqlConfig
) {
  const fields = new Map<string, string>()
  const files = new Map<string, File>()
  const limit = config.bodyLimit + config.uploadLimit
  if (Number(request.headers["content-length"] || Number.NaN) > limit) {
    return yield* new PayloadTooLarge({ limit })
  }
  const limits = Multipart.limitsServices({
    maxParts,
    maxFieldSize: config.bodyLimit,
    maxFileSize: config.uploadLimit,
    maxTotalSize: limit,
    // A JSON document is a file as well as any.
    fieldMimeTypes: []
  })
  const take = Effect.fnUntraced(function*(part: Multipart.Part) {
    if (fields.has(part.key) || files.has(part.key)) return yield* malformed("occurs twice", part.key)
    if (part._tag === "Field") {
      // Bytes that are no UTF-8 have been replaced by that character.
      if (part.value.includes("\ufffd")) {
        return yield* malformed("is not UTF-8; the character U+FFFD itself is written as \\ufffd", part.key)
      }
      return void fields.set(part.key, part.value)
    }
    if (files.size >= maxFiles) return yield* malformed(`a request holds at most ${maxFiles} files`, part.key)
    const bytes = yield* part.contentEffect
    files.set(part.key, new File([Uint8Array.from(bytes)], part.name, { type: part.contentType }))
  })
  yield* request.multipartStream.pipe(
    Stream.runForEach(take),
    Effect.provideContext(limits),
    Effect.catchTag("MultipartError", (error) => Effect.fail(refusalOf(error, config)))
  )
  return { fields, files }
})

const refusalOf = ({ reason }: Multipart.MultipartError, config: GraphqlConfig) => {
  switch (reason._tag) {
    case "TooManyParts":
      return malformed(`has more than ${maxParts} parts`, "body")
    case "FieldTooLarge":
      return new PayloadTooLarge({ limit: config.bodyLimit })
    case "FileTooLarge":
      return new PayloadTooLarge({ limit: config.uploadLimit })
    case "BodyTooLarge":
      return new PayloadTooLarge({ limit: config.bodyLimit + config.uploadLimit })
    case "Parse":
      return malformed("is not multipart/form-data as its boundary says", "body")
    case "InternalError":
      return incomplete
  }
}

/** The parts with names of their own: those of the convention, and those that a request without files has as members. */
const fieldNames = new Set(["operations", "map", "query", "variables", "operationName", "extensions"])

const operationIn = Effect.fnUntraced(function*(fields: ReadonlyMap<string, string>) {
  const strange = Array.from(fields.keys()).find((name) => !fieldNames.has(name))
  if (strange !== undefined) {
    return yield* malformed("is no file: give the part a filename, or leave it out", strange)
  }
  const operations = fields.get("operations")
  if (operations !== undefined) {
    return yield* operationOf(yield* readJson(operations, "operations"), "operations")
  }
  const variables = fields.get("variables")
  return yield* operationOf({
    query: fields.get("query"),
    operationName: fields.get("operationName"),
    variables: variables === undefined ? undefined : yield* readJson(variables, "variables")
  }, "operations")
})

/** The paths of the variables of each file part. */
const placesOf = Effect.fnUntraced(function*(
  map: unknown
): Effect.fn.Return<ReadonlyMap<string, ReadonlyArray<string>>, MalformedRequest> {
  if (!Predicate.isObject(map)) return yield* malformed("must be an object", "map")
  const places = new Map<string, ReadonlyArray<string>>()
  for (const [name, paths] of Object.entries(map)) {
    if (!arePaths(paths)) {
      return yield* malformed("must be a list of paths such as \"variables.input.file\"", `map.${name}`)
    }
    places.set(name, paths.map((path) => path.slice("variables.".length)))
  }
  return places
})

const arePaths = (paths: unknown): paths is ReadonlyArray<string> =>
  Array.isArray(paths) && paths.length > 0 && paths.length <= maxFiles &&
  paths.every((path) => typeof path === "string" && path.startsWith("variables."))

/** Puts the file at the path; `false` where the variables hold no `null` there. */
const place = (holder: unknown, [key = "", ...rest]: ReadonlyArray<string>, file: File): boolean => {
  if (!Predicate.isObjectOrArray(holder) || !Object.hasOwn(holder, key)) return false
  const member: unknown = Reflect.get(holder, key)
  if (rest.length > 0) return place(member, rest, file)
  return member === null && Reflect.set(holder, key, file)
}
