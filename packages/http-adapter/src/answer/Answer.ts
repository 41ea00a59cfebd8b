/** Writes the answers of REST: a value in the format that the client prefers, or a problem (D2.8, D4.2, D4.3). */
import * as JsonWriter from "@dockline/core/input/JsonWriter"
import * as Slices from "@dockline/core/input/Slices"
import type { CatalogueError } from "@dockline/core/values/CatalogueError"
import type { RestType } from "@dockline/wire/MediaType"
import * as Pieces from "@dockline/wire/Pieces"
import * as Refusal from "@dockline/wire/Refusal"
import { Effect, SchemaAST, Stream } from "effect"
import type { Schema } from "effect"
import { HttpServerResponse } from "effect/http"
import * as XmlText from "./XmlText.ts"

type Response = HttpServerResponse.HttpServerResponse

/** The root element of an entity in XML. */
export const rootOf = ({ ast }: Schema.Top): string => SchemaAST.resolveIdentifier(ast) ?? "Answer"

/** Answers with a value as a single text. In XML the root element has the given name (D2.8). */
export const encode = (
  rootName: string,
  value: unknown,
  responseType: RestType,
  options: { readonly status: number; readonly headers: Readonly<Record<string, string>> }
): Effect.Effect<Response> =>
  Effect.map(
    Slices.run(JsonWriter.join(partsOf(rootName, value, responseType))),
    (text) => HttpServerResponse.text(text, { ...options, contentType: contentTypeOf(responseType) })
  )

/** Answers with a value; a long answer is sent piece by piece, as fast as the client reads it. */
export const show = (
  rootName: string,
  value: unknown,
  responseType: RestType,
  headers: Readonly<Record<string, string>>
): Response => {
  const options = { headers, contentType: contentTypeOf(responseType) }
  const output = Pieces.outputOf(partsOf(rootName, value, responseType))
  return output._tag === "Whole"
    ? HttpServerResponse.text(output.text, options)
    : HttpServerResponse.stream(Stream.encodeText(output.pieces), options)
}

const partsOf = (rootName: string, value: unknown, responseType: RestType) =>
  responseType === "application/json" ? JsonWriter.parts(value) : XmlText.parts(rootName, value)

const contentTypeOf = (responseType: RestType): string =>
  responseType === "application/json" ? responseType : `${responseType}; charset=utf-8`

/** The problem of an error, which is not counted. */
export const problem = (error: CatalogueError): Response => {
  const { body, ...options } = Refusal.answerIn("problem", error)
  return HttpServerResponse.text(body, options)
}

/** The problem of an error, for `Effect.catch`; the error is counted, and a 503 is logged. */
export const respond = (error: CatalogueError): Effect.Effect<Response> => Refusal.respond("rest", error)
