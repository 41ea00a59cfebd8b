/**
 * From the bytes of a document, in JSON or XML, to the document: for bodies of requests, and for files that another
 * adapter receives.
 */
import type { Document } from "@dockline/core/Document"
import * as DocumentInput from "@dockline/core/DocumentInput"
import { DocumentReader } from "@dockline/core/DocumentReader"
import type { DocumentReadError } from "@dockline/core/DocumentReader"
import { MalformedDocument, TooManyItems, UnsupportedMediaType } from "@dockline/core/Errors"
import * as Metrics from "@dockline/core/Metrics"
import { Strategies } from "@dockline/core/Strategy"
import { Vocabulary } from "@dockline/core/Vocabulary"
import { Effect, Layer, Metric, Result } from "effect"
import * as ContentType from "./ContentType.ts"
import type { HttpConfig } from "./HttpConfig.ts"
import * as JsonBody from "./JsonBody.ts"
import * as SchemaShape from "./SchemaShape.ts"
import type { BodyForm } from "./Write.ts"
import * as XmlBody from "./XmlBody.ts"
import type { XmlElement } from "./XmlBody.ts"
import { toValue } from "./XmlShape.ts"

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
            Result.flatMap((type) => read(bytes, type))
          )
        }
      })
    })
  )

/** Makes the reader of a document's bytes, which are in the form that its content type says. */
export const makeReader = (rules: DocumentInput.DocumentRules, itemLimit: number) => {
  const read = DocumentInput.reader(rules, itemLimit)
  const shape = SchemaShape.objectOf(DocumentInput.schema(rules))
  return (bytes: Uint8Array, type: ContentType.ContentType): Result.Result<Document, DocumentReadError> => {
    if (type.format === "json") {
      return JsonBody.parse(bytes).pipe(Result.mapError(malformed), Result.flatMap(read))
    }
    return XmlBody.parse(bytes, type.charset).pipe(
      Result.mapError((error) => error._tag === "MalformedBody" ? malformed(error) : unsupported(error)),
      Result.flatMap((root): Result.Result<unknown, DocumentReadError> =>
        isTooLarge(root, itemLimit)
          ? Result.fail(new TooManyItems({ limit: itemLimit }))
          : Result.mapError(toValue(root, shape), (errors) => new MalformedDocument({ errors }))
      ),
      Result.flatMap(read)
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
