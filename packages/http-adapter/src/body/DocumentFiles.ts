/**
 * From the bytes of a document, in JSON or XML, to the document: for bodies of requests, and for files that another
 * adapter receives.
 */
import type { Document } from "@dockline/core/Document"
import * as DocumentInput from "@dockline/core/DocumentInput"
import { DocumentReader, jsonReader } from "@dockline/core/DocumentReader"
import type { DocumentReadError } from "@dockline/core/DocumentReader"
import { MalformedDocument, TooManyItems, UnsupportedMediaType } from "@dockline/core/Errors"
import * as Slices from "@dockline/core/internal/Slices"
import * as Metrics from "@dockline/core/Metrics"
import { Strategies } from "@dockline/core/Strategy"
import { Vocabulary } from "@dockline/core/Vocabulary"
import { Effect, Layer, Metric, Result } from "effect"
import type { BodyForm } from "../answer/Write.ts"
import type { HttpConfig } from "../api/HttpConfig.ts"
import type { Charset } from "./Charset.ts"
import * as ContentType from "./ContentType.ts"
import * as XmlBody from "./XmlBody.ts"
import type { XmlElement } from "./XmlBody.ts"
import * as XmlShape from "./XmlShape.ts"

const received = Metrics.counter(
  "dockline_document_bytes_total",
  "Bytes of documents that came as a body or a file, whatever became of them",
  []
)

/** Counts the bytes of a document. */
export const countBytes = (bytes: Uint8Array): Effect.Effect<void> =>
  Metric.update(received.of(), bytes.byteLength)

/** The reading of document files that other adapters depend on. */
export const layer = ({ itemLimit }: Pick<HttpConfig, "itemLimit">): Layer.Layer<DocumentReader> =>
  Layer.effect(
    DocumentReader,
    Effect.gen(function*() {
      const read = makeReader({ vocabulary: yield* Vocabulary, strategies: yield* Strategies }, itemLimit)
      const context = yield* Effect.context<never>()
      return DocumentReader.of({
        read: (bytes, contentType) => {
          received.of().updateUnsafe(bytes.byteLength, context)
          return ContentType.parse(contentType).pipe(
            Result.mapError(unsupported),
            Effect.fromResult,
            Effect.flatMap((type) => read(bytes, type))
          )
        }
      })
    })
  )

/**
 * Makes the reader of a document's bytes, which are in the form that its content type says. A long document is read in
 * slices, and refused as soon as it cannot be valid.
 */
export const makeReader = (rules: DocumentInput.DocumentRules, itemLimit: number) => {
  const readJson = jsonReader(rules, itemLimit)
  const readXml = xmlReader(rules, itemLimit)
  return (bytes: Uint8Array, type: ContentType.ContentType): Effect.Effect<Document, DocumentReadError> =>
    type.format === "json"
      ? readJson(bytes)
      : Effect.flatMap(
        Effect.suspend(() => Slices.runInTurn(readXml(bytes, type.charset))),
        Effect.fromResult
      )
}

const xmlReader = (rules: DocumentInput.DocumentRules, itemLimit: number) => {
  const toDocument = DocumentInput.stepReader(rules, itemLimit)
  const shape = DocumentInput.shape(rules, itemLimit)
  return function*(
    bytes: Uint8Array,
    charset: Charset | undefined
  ): Slices.Steps<Result.Result<Document, DocumentReadError>> {
    const tree = yield* XmlBody.read(bytes, charset, shape)
    if (Result.isFailure(tree)) {
      return Result.fail(
        tree.failure._tag === "MalformedBody" ? malformed(tree.failure) : unsupported(tree.failure)
      )
    }
    const { isWhole, root } = tree.success
    if (isTooLarge(root, itemLimit)) return Result.fail(new TooManyItems({ limit: itemLimit }))
    const value = yield* XmlShape.read(root, shape)
    return Result.isFailure(value) ? Result.fail(malformed({ errors: value.failure })) : yield* toDocument(
      value.success,
      isWhole
    )
  }
}

/** Whether the tree has too many entries: told before its faults, as in JSON (D3.9). */
const isTooLarge = (root: XmlElement, limit: number): boolean => {
  const orders = entriesOf(root, "orders")
  const items = [root, ...orders].reduce((sum, holder) => sum + entriesOf(holder, "items").length, 0)
  return orders.length > limit || items > limit
}

/** The elements that are entries of a list; an empty one is none (D2.5). */
const entriesOf = (element: XmlElement, name: string): ReadonlyArray<XmlElement> =>
  element.children.filter((child) =>
    child.name === name && (child.children.length > 0 || child.text.trim() !== "")
  )

const malformed = ({ errors }: { readonly errors: MalformedDocument["errors"] }) =>
  new MalformedDocument({ errors })

/** The media types of a document. */
export const documentBody: BodyForm<ContentType.ContentType> = {
  supported: ["application/json", "application/xml", "text/xml"],
  parse: ContentType.parse
}

const unsupported = ({ detail }: ContentType.UnsupportedMediaType) =>
  new UnsupportedMediaType({ supported: documentBody.supported, detail })
