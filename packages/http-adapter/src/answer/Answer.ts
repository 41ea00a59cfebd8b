/**
 * Answers as plain data, so that the answer to a request with an idempotency key can be kept and given again.
 */
import type { RestType } from "@dockline/core/internal/Accept"
import type { CatalogueError } from "@dockline/core/internal/Categories"
import * as JsonWriter from "@dockline/core/internal/JsonWriter"
import * as Problem from "@dockline/core/internal/Problem"
import * as Slices from "@dockline/core/internal/Slices"
import { countRefusal } from "@dockline/core/Refusals"
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import * as Problems from "./Problems.ts"
import * as XmlText from "./XmlText.ts"

/** A whole answer. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly contentType: string
  readonly body: string
}

/** Writes a value in the form the client prefers; in XML under a root element of that name (D2.8). */
export const encode = (
  rootName: string,
  value: unknown,
  responseType: RestType
): Effect.Effect<Pick<Answer, "contentType" | "body">> =>
  responseType === "application/json"
    ? Effect.map(Slices.run(JsonWriter.write(value)), (body) => ({ contentType: "application/json", body }))
    : Effect.map(
      Slices.run(XmlText.writeInSteps(rootName, value)),
      (body) => ({ contentType: `${responseType}; charset=utf-8`, body })
    )

/** The answer to an error of the catalogue. */
export const refusal = (error: CatalogueError): Answer => {
  const problem = Problem.problemOf(error)
  return {
    status: problem.status,
    headers: Problem.headersOf(error),
    contentType: Problem.mediaType,
    body: JSON.stringify(problem)
  }
}

/** Counts an error that is answered, and logs it where an operator has to know of it: once for each answer. */
export const note = (error: CatalogueError): Effect.Effect<void> =>
  Effect.andThen(countRefusal("rest", error.code), Problems.logUnavailable(error))

/** {@link refusal} for `Effect.catch`, with its {@link note}. */
export const refuse = (error: CatalogueError): Effect.Effect<Answer> => Effect.as(note(error), refusal(error))

/** Writes an answer to the wire. */
export const toResponse = (
  { status, headers, contentType, body }: Answer
): HttpServerResponse.HttpServerResponse => HttpServerResponse.text(body, { status, headers, contentType })
