/**
 * Refuses what a request asks for and would not get: query parameters that it sends twice, those that are unknown where the framework
 * does not check them, and preconditions of writes (D11).
 *
 * Guarantee: none is lost in silence, and an empty filter of a list is absent, whatever its type (D4.7). What answers a write takes the preconditions that it names, and none unless it names some.
 */
import { unknownName } from "@dockline/core/input/Faults"
import { clip } from "@dockline/core/values/Clip"
import { InvalidParameter, MalformedRequest } from "@dockline/core/values/Errors"
import { Effect, Result } from "effect"
import type { SchemaAST } from "effect"
import { HttpServerRequest } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"

/** What the error says of a parameter that a request does not have. */
export const unknownParameter = (name: string, names: ReadonlyArray<string>): string =>
  unknownName(name, "a parameter of this request", names)

/** The headers of preconditions (RFC 9110, section 13.1) that a write can be sent with. */
const conditions = ["If-Match", "If-None-Match", "If-Unmodified-Since"] as const

/** The header of a precondition. */
export type Condition = (typeof conditions)[number]

/** Refuses every query parameter but those named, so that a misspelt one is not lost in silence, and every precondition of a write. */
export const only = (...names: ReadonlyArray<string>) => onlyWith([], ...names)

/** As {@link only}, where the request may have these preconditions. */
export const onlyWith = (
  allowance: ReadonlyArray<Condition>,
  ...names: ReadonlyArray<string>
): Effect.Effect<void, InvalidParameter | MalformedRequest, HttpServerRequest.HttpServerRequest> =>
  Effect.flatMap(
    HttpServerRequest.HttpServerRequest,
    ({ headers, method, url }): Effect.Effect<void, InvalidParameter | MalformedRequest> => {
      const unknown = unknownIn(url, names)
      if (unknown.length > 0) {
        return Effect.fail(
          new InvalidParameter({
            errors: unknown.map((name) => ({ path: clip(name), detail: unknownParameter(name, names) }))
          })
        )
      }
      // What reads may answer in full whatever its preconditions are.
      const superfluous = method === "GET" || method === "HEAD"
        ? []
        : conditions.filter((name) => headers[name.toLowerCase()] !== undefined && !allowance.includes(name))
      return superfluous.length === 0
        ? Effect.void
        : Effect.fail(
          new MalformedRequest({ errors: superfluous.map((path) => ({ path, detail: notTaken })) })
        )
    }
  )

/** The query parameters of a request, as the framework has parsed them. */
type Values = HttpServerRequest.ParsedSearchParams["Service"]

/**
 * The parameters of a request as its endpoint reads them: what reads gets none that are empty. What writes must not take an empty
 * `dryRun` for an absent one.
 */
export const sentTo = (
  { method, query }: Pick<HttpApiEndpoint.Top, "method" | "query">,
  values: Values
): Result.Result<Values, InvalidParameter> => {
  const names = new Set(query === undefined ? [] : namesIn(query.ast))
  const repeated = Object.keys(values).filter((name) => names.has(name) && Array.isArray(values[name]))
  if (repeated.length > 0) {
    const detail = "was sent more than once; send it once"
    return Result.fail(new InvalidParameter({ errors: repeated.map((path) => ({ path, detail })) }))
  }
  return Result.succeed(
    method === "GET"
      ? Object.fromEntries(Object.entries(values).filter(([name, value]) => value !== "" || !names.has(name)))
      : values
  )
}

/** The names of the fields of a schema that is a struct. */
export const namesIn = (ast: SchemaAST.AST): ReadonlyArray<string> =>
  ast._tag === "Objects" ? ast.propertySignatures.map(({ name }) => String(name)) : []

const unknownIn = (url: string, names: ReadonlyArray<string>): ReadonlyArray<string> => {
  const start = url.indexOf("?")
  if (start < 0) return []
  return Array.from(new Set(new URLSearchParams(url.slice(start)).keys()))
    .filter((name) => !names.includes(name))
}

const notTaken = "is not taken here, and nothing would hold the request to it; leave it out"
