/**
 * Refusals that are problems (RFC 9457) rather than errors of GraphQL: those of the token, the path, the method and the
 * media types (D4.2, D8.6).
 */
import type { CatalogueError } from "@dockline/core/values/CatalogueError"
import { MethodNotAllowed, NotAcceptable } from "@dockline/core/values/RequestErrors"
import * as Problem from "@dockline/wire/Problem"
import { HttpServerResponse } from "effect/http"

const write = (problem: Problem.Problem, headers: Readonly<Record<string, string>> = {}) =>
  HttpServerResponse.text(JSON.stringify(problem), {
    status: problem.status,
    headers: { ...headers, "content-type": Problem.mediaType }
  })

export const respond = (error: CatalogueError) => write(Problem.problemOf(error), Problem.headersOf(error))

export const methodNotAllowed = (allow: "GET, POST" | "POST") =>
  write(Problem.problemAs(MethodNotAllowed, "Send a query with GET or POST, a mutation with POST"), { allow })

export const notAcceptable = write(Problem.problemOf(new NotAcceptable()))
