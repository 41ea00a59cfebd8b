/**
 * The `Content-Type` of a document: which of the two wire forms a body is in, and in which charset (D2.5, D2.6).
 *
 * Guarantee: a header is either one of the three media types of the interface with a charset that the reader of that
 * form understands, or it is refused as {@link UnsupportedMediaType} (415) before a byte of the body is looked at.
 */
import { Result } from "effect"
import * as Charset from "./Charset.ts"
import * as HeaderValue from "./HeaderValue.ts"
import { clip } from "./MalformedBody.ts"

/** A body in a media type or charset that is not read here: HTTP 415. */
export interface UnsupportedMediaType {
  readonly _tag: "UnsupportedMediaType"
  /** What was sent and what is expected, for an integrator. */
  readonly detail: string
}

/** Makes an {@link UnsupportedMediaType}. */
export const unsupported = (detail: string): UnsupportedMediaType => ({
  _tag: "UnsupportedMediaType",
  detail
})

/**
 * The form a body is in. JSON is always UTF-8; XML has the charset of the header, or `undefined` when the header
 * leaves it to the byte order mark and the XML declaration.
 */
export type ContentType =
  | { readonly format: "json" }
  | { readonly format: "xml"; readonly charset: Charset.Charset | undefined }

/** The media types of a document, as an answer lists them. */
export const supported = "application/json, application/xml or text/xml"

/**
 * Reads a `Content-Type` header. Names are case-insensitive and parameters other than `charset` are ignored. A
 * missing header, another media type, a charset that the form does not take and two charsets that differ are refused.
 */
export const parse = (header: string | undefined): Result.Result<ContentType, UnsupportedMediaType> => {
  if (header === undefined || header.trim() === "") {
    return Result.fail(unsupported(`the Content-Type header is missing; send ${supported}`))
  }
  const elements = HeaderValue.parse(header)
  const element = elements[0]
  if (element === undefined || elements.length > 1 || !element.wellFormed || element.value !== "") {
    return Result.fail(
      unsupported(`the Content-Type "${clip(header)}" is not a media type; send ${supported}`)
    )
  }
  const charsets = new Set(
    element.parameters.filter(({ name }) => name === "charset").map(({ value }) => value.toLowerCase())
  )
  if (charsets.size > 1) {
    return Result.fail(unsupported(`the Content-Type "${clip(header)}" names more than one charset`))
  }
  const [charset] = charsets
  switch (element.name) {
    case "application/json":
      return json(charset)
    case "application/xml":
    case "text/xml":
      return xml(charset)
    default:
      return Result.fail(
        unsupported(`the media type "${clip(element.name)}" is not supported; send ${supported}`)
      )
  }
}

const json = (charset: string | undefined): Result.Result<ContentType, UnsupportedMediaType> =>
  charset === undefined || Charset.fromName(charset) === "utf-8"
    ? Result.succeed({ format: "json" })
    : Result.fail(unsupported(`JSON is UTF-8; the charset "${clip(charset)}" is not supported`))

const xml = (charset: string | undefined): Result.Result<ContentType, UnsupportedMediaType> => {
  if (charset === undefined) return Result.succeed({ format: "xml", charset })
  const known = Charset.fromName(charset)
  return known === undefined
    ? Result.fail(unsupported(`the charset "${clip(charset)}" is not supported; send ${Charset.supported}`))
    : Result.succeed({ format: "xml", charset: known })
}
