/**
 * The `Content-Type` of a request: which of the two wire forms a body is in, and in which charset (D2.5, D2.6).
 *
 * Guarantee: a header is either one of the media types that the request takes, with a charset that the reader of that
 * form understands, or it is refused as {@link UnsupportedMediaType} (415) before a byte of the body is looked at.
 */
import { clip } from "@dockline/core/Clip"
import * as HeaderValue from "@dockline/core/internal/HeaderValue"
import { Result } from "effect"
import * as Charset from "./Charset.ts"

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

/** A body in JSON, which is always UTF-8. */
export interface Json {
  readonly format: "json"
}

/** A body in XML; the charset is `undefined` when the header leaves it to the byte order mark and the XML declaration. */
export interface Xml {
  readonly format: "xml"
  readonly charset: Charset.Charset | undefined
}

/** The form a body is in. */
export type ContentType = Json | Xml

/** The media types of a document, as an answer lists them. */
export const supported = "application/json, application/xml or text/xml"

/**
 * Reads the `Content-Type` of a document. Names are case-insensitive and parameters other than `charset` are ignored.
 * A missing header, another media type, a charset that the form does not take and two charsets that differ are refused.
 */
export const parse = (header: string | undefined): Result.Result<ContentType, UnsupportedMediaType> =>
  Result.flatMap(
    mediaType(header, supported),
    ({ name, charset }): Result.Result<ContentType, UnsupportedMediaType> => {
      switch (name) {
        case "application/json":
          return json(charset)
        case "application/xml":
        case "text/xml":
          return xml(charset)
        default:
          return unknown(name, supported)
      }
    }
  )

/** Reads a `Content-Type` like {@link parse}, where JSON is all that is taken. */
export const parseJson = (header: string | undefined): Result.Result<Json, UnsupportedMediaType> =>
  Result.flatMap(
    mediaType(header, "application/json"),
    ({ name, charset }) => name === "application/json" ? json(charset) : unknown(name, "application/json")
  )

interface MediaType {
  readonly name: string
  readonly charset: string | undefined
}

const mediaType = (
  header: string | undefined,
  remedy: string
): Result.Result<MediaType, UnsupportedMediaType> => {
  if (header === undefined || header.trim() === "") {
    return Result.fail(unsupported(`the Content-Type header is missing; send ${remedy}`))
  }
  const elements = HeaderValue.parse(header)
  const element = elements[0]
  if (element === undefined || elements.length > 1 || !element.wellFormed || element.value !== "") {
    return Result.fail(
      unsupported(`the Content-Type "${clip(header)}" is not a media type; send ${remedy}`)
    )
  }
  const charsets = new Set(
    element.parameters.filter(({ name }) => name === "charset").map(({ value }) => value.toLowerCase())
  )
  if (charsets.size > 1) {
    return Result.fail(unsupported(`the Content-Type "${clip(header)}" names more than one charset`))
  }
  const [charset] = charsets
  return Result.succeed({ name: element.name, charset })
}

const unknown = (name: string, remedy: string): Result.Result<never, UnsupportedMediaType> =>
  Result.fail(unsupported(`the media type "${clip(name)}" is not supported; send ${remedy}`))

const json = (charset: string | undefined): Result.Result<Json, UnsupportedMediaType> =>
  charset === undefined || Charset.fromName(charset) === "utf-8"
    ? Result.succeed({ format: "json" })
    : Result.fail(unsupported(`JSON is UTF-8; the charset "${clip(charset)}" is not supported`))

const xml = (charset: string | undefined): Result.Result<Xml, UnsupportedMediaType> => {
  if (charset === undefined) return Result.succeed({ format: "xml", charset })
  const known = Charset.fromName(charset)
  return known === undefined
    ? Result.fail(unsupported(`the charset "${clip(charset)}" is not supported; send ${Charset.supported}`))
    : Result.succeed({ format: "xml", charset: known })
}
