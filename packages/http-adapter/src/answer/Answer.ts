/**
 * Answers as plain data, so that the answer to a request with an idempotency key can be kept and given again.
 *
 * Guarantee: status, title, code, headers and text of a refusal are those of core's `Problem` (D4.2, D4.3).
 */
import * as JsonWriter from "@dockline/core/internal/input/JsonWriter"
import * as Slices from "@dockline/core/internal/input/Slices"
import type { CatalogueError } from "@dockline/core/internal/values/CatalogueError"
import { countRefusal } from "@dockline/core/internal/values/Refusals"
import type { RestType } from "@dockline/wire/internal/Accept"
import * as Pieces from "@dockline/wire/internal/Pieces"
import * as Problem from "@dockline/wire/internal/Problem"
import { Cause, Effect, SchemaAST, Stream } from "effect"
import type { Schema } from "effect"
import { HttpServerResponse } from "effect/http"
import * as XmlText from "./XmlText.ts"

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly contentType: string
  readonly body: string
}

/** The root element of an entity in XML. */
export const rootOf = ({ ast }: Schema.Top): string => SchemaAST.resolveIdentifier(ast) ?? "Answer"

/** Writes a value whole. In XML the root element has the given name (D2.8). */
export const encode = (
  rootName: string,
  value: unknown,
  responseType: RestType
): Effect.Effect<Pick<Answer, "contentType" | "body">> =>
  Effect.map(
    Slices.run(JsonWriter.joined(partsOf(rootName, value, responseType))),
    (body) => ({ contentType: contentTypeOf(responseType), body })
  )

/** Answers with a value that is not kept: a long one is written piece by piece as the client takes it. */
export const show = (
  rootName: string,
  value: unknown,
  responseType: RestType,
  headers: Readonly<Record<string, string>>
): HttpServerResponse.HttpServerResponse => {
  const options = { headers, contentType: contentTypeOf(responseType) }
  const written = Pieces.written(partsOf(rootName, value, responseType))
  return written._tag === "Whole"
    ? HttpServerResponse.text(written.text, options)
    : HttpServerResponse.stream(Stream.encodeText(written.pieces), options)
}

const partsOf = (rootName: string, value: unknown, responseType: RestType) =>
  responseType === "application/json" ? JsonWriter.parts(value) : XmlText.parts(rootName, value)

const contentTypeOf = (responseType: RestType): string =>
  responseType === "application/json" ? responseType : `${responseType}; charset=utf-8`

export const refusal = (error: CatalogueError): Answer => {
  const problem = Problem.problemOf(error)
  return {
    status: problem.status,
    headers: Problem.headersOf(error),
    contentType: Problem.mediaType,
    body: JSON.stringify(problem)
  }
}

/** Counts an error that is answered, and logs a 503. */
export const note = (error: CatalogueError): Effect.Effect<void> =>
  Effect.andThen(countRefusal("rest", error.code), logUnavailable(error))

/** The answer does not show the reason, and an operator has to know it. */
export const logUnavailable = (error: CatalogueError): Effect.Effect<void> =>
  error.category === "unavailable"
    ? Effect.logWarning(`Answered 503 ${error.code}`, Cause.fail(error))
    : Effect.void

/** {@link refusal} for `Effect.catch`, with its {@link note}. */
export const refuse = (error: CatalogueError): Effect.Effect<Answer> => Effect.as(note(error), refusal(error))

export const toResponse = (
  { status, headers, contentType, body }: Answer
): HttpServerResponse.HttpServerResponse => HttpServerResponse.text(body, { status, headers, contentType })

export const respond = (error: CatalogueError): Effect.Effect<HttpServerResponse.HttpServerResponse> =>
  Effect.map(refuse(error), toResponse)

/** {@link refusal} as a response, for refusals that are not counted. */
export const problem = (error: CatalogueError): HttpServerResponse.HttpServerResponse =>
  toResponse(refusal(error))
