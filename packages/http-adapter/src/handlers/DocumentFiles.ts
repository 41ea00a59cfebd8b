/** Reads documents in JSON or XML from their bytes: bodies of requests, and files that another adapter receives. */
import type { Document, DocumentReadError } from "@dockline/core/document/Document"
import * as DocumentInput from "@dockline/core/document/DocumentInput"
import { unreadable } from "@dockline/core/document/DocumentInput"
import type { DocumentReadFailure } from "@dockline/core/document/DocumentInput"
import { DocumentReader, jsonReader } from "@dockline/core/document/DocumentReader"
import { Strategies } from "@dockline/core/document/Strategy"
import * as Slices from "@dockline/core/input/Slices"
import { MalformedDocument, TooManyItems } from "@dockline/core/values/Errors"
import * as Metrics from "@dockline/core/values/Metrics"
import { Vocabulary } from "@dockline/core/values/Vocabulary"
import { documentTypes, mediaTypeReader } from "@dockline/wire/MediaType"
import type { Charset, ContentType } from "@dockline/wire/MediaType"
import { Effect, Layer, Result } from "effect"
import * as XmlBody from "../body/XmlBody.ts"
import type { XmlElement } from "../body/XmlBody.ts"
import * as XmlShape from "../body/XmlShape.ts"
import type { HttpConfig } from "../HttpConfig.ts"

const bytesReceived = Metrics.counter(
  "dockline_document_bytes_total",
  "Bytes of documents in bodies and files, with any outcome",
  []
)

const readType = mediaTypeReader(...documentTypes)

/** Counts the bytes of a document. */
export const countBytes = (bytes: Uint8Array): Effect.Effect<void> =>
  Metrics.update(bytesReceived.of(), bytes.byteLength)

/** Reads document files for other adapters. */
export const layer = ({ itemLimit }: Pick<HttpConfig, "itemLimit">): Layer.Layer<DocumentReader> =>
  Layer.effect(
    DocumentReader,
    Effect.gen(function*() {
      const read = makeReader({ vocabulary: yield* Vocabulary, strategies: yield* Strategies }, itemLimit)
      const context = yield* Effect.context<never>()
      return DocumentReader.of({
        read: (bytes, contentType) => {
          bytesReceived.of().updateUnsafe(bytes.byteLength, context)
          return Effect.flatMap(
            Effect.fromResult(readType(contentType)),
            (type) => read(bytes, type)
          )
        }
      })
    })
  )

/** Makes a function that reads the bytes of a document. A long document is read in slices, and refused as soon as it cannot be valid. */
export const makeReader = (rules: DocumentInput.DocumentRules, itemLimit: number) => {
  const readJson = jsonReader(rules, itemLimit)
  const readXml = xmlReader(rules, itemLimit)
  return (
    bytes: Uint8Array,
    type: ContentType
  ): Effect.Effect<Document, DocumentReadFailure<DocumentReadError>> =>
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
  ): Slices.Steps<Result.Result<Document, DocumentReadFailure<DocumentReadError>>> {
    const tree = yield* XmlBody.read(bytes, charset, shape)
    if (Result.isFailure(tree)) {
      return Result.fail(tree.failure._tag === "MalformedBody" ? malformed(tree.failure) : tree.failure)
    }
    const { isWhole, root } = tree.success
    if (isTooLarge(root, itemLimit)) return Result.fail(new TooManyItems({ limit: itemLimit }))
    const value = yield* XmlShape.read(root, shape)
    return Result.isFailure(value)
      ? Result.fail(unreadable(malformed({ errors: value.failure }), namesIn(root)))
      : yield* toDocument(value.success, isWhole)
  }
}

/** Whether the document has too many entries: this refusal comes before any other fault, as in JSON (D3.9). */
const isTooLarge = (root: XmlElement, limit: number): boolean => {
  const orders = entriesOf(root, "orders")
  const items = [root, ...orders].reduce((sum, holder) => sum + entriesOf(holder, "items").length, 0)
  return orders.length > limit || items > limit
}

const entriesOf = (element: XmlElement, name: string): ReadonlyArray<XmlElement> =>
  element.children.filter((child) =>
    child.name === name && (child.children.length > 0 || child.text.trim() !== "")
  )

/** The business, the facility and the numbers in an XML document, whatever other faults the document has. */
const namesIn = (element: XmlElement): Record<string, unknown> => ({
  ...Object.fromEntries(
    element.children.filter(({ children }) => children.length === 0).map((
      { name, text }
    ) => [name, text.trim()])
  ),
  ...(element.children.some(({ name }) => name === "orders")
    ? { orders: entriesOf(element, "orders").map(namesIn) }
    : {})
})

const malformed = ({ errors }: { readonly errors: MalformedDocument["errors"] }) =>
  new MalformedDocument({ errors })
