/**
 * Port: from the bytes of a document file to a document. The HTTP adapter, which reads JSON and XML bodies, holds the
 * implementation; an adapter that gets files another way depends on this port only.
 */
import { Context, Effect, Layer, Result } from "effect"
import type { Document } from "./Document.ts"
import * as DocumentInput from "./DocumentInput.ts"
import { MalformedDocument, UnsupportedMediaType } from "./Errors.ts"
import type { InvalidDocument, TooManyItems } from "./Errors.ts"
import { Strategies } from "./Strategy.ts"
import { Vocabulary } from "./Vocabulary.ts"

/** Why a document file is refused before anything is asked of the storage. */
export type DocumentReadError = TooManyItems | MalformedDocument | InvalidDocument | UnsupportedMediaType

/** Reading of document files. */
export class DocumentReader extends Context.Service<DocumentReader, {
  /** Reads the bytes as the content type, written as in a `Content-Type` header, says. */
  readonly read: (
    bytes: Uint8Array,
    contentType: string | undefined
  ) => Result.Result<Document, DocumentReadError>
}>()("@dockline/core/DocumentReader") {
  /**
   * Files in JSON, for a service without the HTTP adapter, which reads XML too and tells faults of syntax by their place.
   */
  static readonly layerJson = (
    itemLimit: number = DocumentInput.defaultItemLimit
  ): Layer.Layer<DocumentReader> =>
    Layer.effect(
      DocumentReader,
      Effect.gen(function*() {
        const rules = { vocabulary: yield* Vocabulary, strategies: yield* Strategies }
        const read = DocumentInput.reader(rules, itemLimit)
        return DocumentReader.of({
          read: (bytes, contentType) =>
            isJson(contentType)
              ? Result.flatMap(parse(bytes), read)
              : Result.fail(new UnsupportedMediaType({ supported: ["application/json"] }))
        })
      })
    )
}

/** What is used of the runtime's own: core names no platform, so that it declares this itself. */
declare const TextDecoder: new(
  label: string,
  options: { readonly fatal: boolean }
) => { readonly decode: (bytes: Uint8Array) => string }

const isJson = (contentType: string | undefined): boolean =>
  contentType?.split(";", 1)[0]!.trim().toLowerCase() === "application/json"

const parse = (bytes: Uint8Array): Result.Result<unknown, MalformedDocument> =>
  Result.try({
    try: (): unknown => JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)),
    catch: () => new MalformedDocument({ errors: [{ path: "", detail: "is not JSON in UTF-8" }] })
  })
