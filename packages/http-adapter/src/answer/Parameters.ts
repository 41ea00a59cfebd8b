/**
 * Refuses parts of a request that would have no effect: repeated query parameters, unknown parameters that the framework does not check,
 * and preconditions of writes (D11).
 *
 * Guarantee: these functions refuse each unknown and each repeated parameter, and each precondition of a write that its handler does not
 * name. An empty parameter of a read counts as absent, whatever its type (D4.7). A read may ignore preconditions.
 */
import { unknownName } from "@dockline/core/input/Faults"
import { clip } from "@dockline/core/values/Clip"
import { InvalidParameter, MalformedRequest } from "@dockline/core/values/Errors"
import { Effect, Predicate, Result } from "effect"
import type { SchemaAST, SchemaIssue } from "effect"
import { HttpServerRequest } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"

/** The error text for an unknown parameter. */
export const unknownParameter = (name: string, names: ReadonlyArray<string>): string =>
  unknownName(name, "a parameter of this request", names)

/** The headers of preconditions that a write may have (RFC 9110, section 13.1). */
const conditions = ["If-Match", "If-None-Match", "If-Unmodified-Since"] as const

/** The header of a precondition. */
export type Condition = (typeof conditions)[number]

/**
 * Refuses every precondition of a write, and all query parameters except the named ones, so that a misspelt parameter is not silently
 * ignored.
 */
export const only = (...names: ReadonlyArray<string>) => onlyWith([], ...names)

/** Like {@link only}, but the request may have these preconditions. */
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
      // A read may answer in full whatever its preconditions are.
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
 * The parameters of a request for its endpoint. Empty parameters of a read are dropped; in a write they stay, because an empty `dryRun`
 * must not count as absent.
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

/** The error for each path or query parameter that its schema refuses, with the permitted values. */
export const refusalOf = (issue: SchemaIssue.Issue): InvalidParameter => {
  const errors = new Map<string, string>()
  const visit = (issue: SchemaIssue.Issue, path: string, expected: string): void => {
    switch (issue._tag) {
      case "Pointer":
        return visit(
          issue.issue,
          [path, ...issue.path.map(String)].filter((part) => part !== "").join("."),
          expected
        )
      case "Composite":
        return issue.issues.forEach((inner) => visit(inner, path, expectation(issue.ast) ?? expected))
      case "Encoding":
        return visit(issue.issue, path, expectation(issue.ast) ?? expected)
      case "Filter":
        return visit(issue.issue, path, messageOf(issue.filter) ?? expected)
      case "MissingKey":
        return void errors.set(path, messageOf(issue) ?? "is required")
      case "UnexpectedKey":
        return void errors.set(clip(path), unknownParameter(path, namesIn(issue.ast)))
      case "AnyOf":
        return void errors.set(path, expectation(issue.ast) ?? expected)
      default:
        return void errors.set(path, messageOf(issue) ?? expected)
    }
  }
  visit(issue, "", "is not valid; see the reference for the permitted values")
  return new InvalidParameter({ errors: Array.from(errors, ([path, detail]) => ({ path, detail })) })
}

/** The permitted values of a schema, in the words of its last check or of its type. */
const expectation = (ast: SchemaAST.AST): string | undefined => {
  const message = messageOf(ast.checks?.at(-1))
  if (message !== undefined) return message
  switch (ast._tag) {
    case "Boolean":
      return "must be true or false"
    case "Number":
      return "must be a number"
    case "Union":
      return `must be one of ${
        // An empty parameter counts as absent.
        ast.types.flatMap((type) => type._tag === "Literal" && type.literal !== "" ? [type.literal] : [])
          .join(", ")}`
    default:
      return undefined
  }
}

const messageOf = (annotation: unknown): string | undefined =>
  Predicate.hasProperty(annotation, "annotations") && Predicate.hasProperty(annotation.annotations, "message")
    ? String(annotation.annotations.message)
    : undefined

/** The names of the fields of a schema that is a struct. */
export const namesIn = (ast: SchemaAST.AST): ReadonlyArray<string> =>
  ast._tag === "Objects" ? ast.propertySignatures.map(({ name }) => String(name)) : []

const unknownIn = (url: string, names: ReadonlyArray<string>): ReadonlyArray<string> => {
  const start = url.indexOf("?")
  if (start < 0) return []
  return Array.from(new Set(new URLSearchParams(url.slice(start)).keys()))
    .filter((name) => !names.includes(name))
}

const notTaken = "is not supported here and would have no effect; leave it out"
