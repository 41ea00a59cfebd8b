/**
 * Port: reads the bytes of a document file as a document. The HTTP adapter, which reads JSON and XML bodies, implements it; an adapter that
 * receives files in another way depends only on this port.
 */
import { Context, Effect, Layer, Result } from "effect"
import * as JsonText from "../input/JsonText.ts"
import * as Slices from "../input/Slices.ts"
import { MalformedDocument } from "../values/Errors.ts"
import { UnsupportedMediaType } from "../values/RequestErrors.ts"
import { Vocabulary } from "../values/Vocabulary.ts"
import type { Document, DocumentReadError } from "./Document.ts"
import * as DocumentInput from "./DocumentInput.ts"
import type { DocumentReadFailure } from "./DocumentInput.ts"
import { Strategies } from "./Strategy.ts"

/** Reads document files. */
export class DocumentReader extends Context.Service<DocumentReader, {
  /** Reads the bytes by a content type, as in a `Content-Type` header. */
  readonly read: (
    bytes: Uint8Array,
    contentType: string | undefined
  ) => Effect.Effect<Document, DocumentReadFailure<DocumentReadError>>
}>()("@dockline/core/document/DocumentReader") {
  /** Reads files in JSON only, for a service without the HTTP adapter. The HTTP adapter also reads XML. */
  static readonly layerJson = (
    itemLimit: number = DocumentInput.defaultItemLimit
  ): Layer.Layer<DocumentReader> =>
    Layer.effect(
      DocumentReader,
      Effect.gen(function*() {
        const rules = { vocabulary: yield* Vocabulary, strategies: yield* Strategies }
        const read = jsonReader(rules, itemLimit)
        return DocumentReader.of({
          read: (bytes, contentType) =>
            isJson(contentType)
              ? read(bytes)
              : Effect.fail(new UnsupportedMediaType({ supported: ["application/json"] }))
        })
      })
    )
}

/** Makes the reader of documents in JSON: it reads a long document in slices, and refuses it as soon as it cannot be valid. */
export const jsonReader = (rules: DocumentInput.DocumentRules, itemLimit: number) => {
  const shape = DocumentInput.shape(rules, itemLimit)
  const toDocument = DocumentInput.stepReader(rules, itemLimit)
  const read = function*(bytes: Uint8Array): Slices.Steps<DocumentInput.DocumentReadResult> {
    const json = yield* JsonText.readInSteps(bytes, shape)
    if (Result.isFailure(json)) return Result.fail(new MalformedDocument({ errors: json.failure.errors }))
    const { isWhole, value } = json.success
    return yield* toDocument(value, isWhole)
  }
  return (
    bytes: Uint8Array
  ): Effect.Effect<Document, DocumentReadFailure<DocumentInput.DocumentInputError>> =>
    Effect.flatMap(Effect.suspend(() => Slices.runInTurn(read(bytes))), Effect.fromResult)
}

const isJson = (contentType: string | undefined): boolean =>
  contentType?.split(";", 1)[0]!.trim().toLowerCase() === "application/json"
