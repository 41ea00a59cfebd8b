/**
 * Port: from the bytes of a document file to a document. The HTTP adapter, which reads JSON and XML bodies, holds the
 * implementation; an adapter that gets files another way depends on this port only.
 */
import { Context } from "effect"
import type { Result } from "effect"
import type { Document } from "./Document.ts"
import type { InvalidDocument, MalformedDocument, TooManyItems, UnsupportedMediaType } from "./Errors.ts"

/** Why a document file is refused before anything is asked of the storage. */
export type DocumentReadError = TooManyItems | MalformedDocument | InvalidDocument | UnsupportedMediaType

/** Reading of document files. */
export class DocumentReader extends Context.Service<DocumentReader, {
  /** Reads the bytes as the content type, written as in a `Content-Type` header, says. */
  readonly read: (
    bytes: Uint8Array,
    contentType: string | undefined
  ) => Result.Result<Document, DocumentReadError>
}>()("@dockline/core/DocumentReader") {}
