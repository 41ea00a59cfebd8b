/**
 * The `Content-Type` of a request (D2.5, D2.6). A header with another media type or charset is refused as
 * `UnsupportedMediaType` (415) before a byte of the body is looked at.
 */
import { clip } from "@dockline/core/internal/values/Clip"
import type { UnsupportedMediaType } from "@dockline/core/RequestErrors"
import { ediX12 } from "@dockline/wire/internal/Accept"
import * as HeaderValue from "@dockline/wire/internal/HeaderValue"
import { Result } from "effect"
import * as Charset from "./Charset.ts"

export interface ContentType {
  readonly format: "json" | "xml" | "edi-x12"
  /** `undefined` for JSON, which is UTF-8, and for XML or X12 whose header leaves the charset to the body. */
  readonly charset: Charset.Charset | undefined
}

/** Names are case-insensitive, and parameters other than `charset` are ignored. */
export type Parse = (header: string | undefined) => Result.Result<ContentType, UnsupportedMediaType>

const jsonTypes = ["application/json"]

const json = Result.succeed<ContentType>({ format: "json", charset: undefined })

const reader = (supported: Array<string>, remedy: string): Parse => (header) => {
  if (header === "application/json") return json
  const refuse = (detail: string) => Result.fail(Charset.unsupported(detail, supported))
  if (header === undefined || header.trim() === "") {
    return refuse(`the Content-Type header is missing; send ${remedy}`)
  }
  const elements = HeaderValue.parse(header)
  const element = elements[0]
  if (element === undefined || elements.length > 1 || !element.wellFormed || element.value !== "") {
    return refuse(`the Content-Type "${clip(header)}" is not a media type; send ${remedy}`)
  }
  const charsets = new Set(
    element.parameters.filter(({ name }) => name === "charset").map(({ value }) => value.toLowerCase())
  )
  if (charsets.size > 1) return refuse(`the Content-Type "${clip(header)}" names more than one charset`)
  if (!supported.includes(element.name)) {
    return refuse(`the media type "${clip(element.name)}" is not supported; send ${remedy}`)
  }
  const format = element.name === ediX12 ? "edi-x12" : element.name === "application/json" ? "json" : "xml"
  const [name] = charsets
  if (name === undefined) return Result.succeed({ format, charset: undefined })
  const charset = Charset.fromName(name)
  if (format !== "json") {
    return charset === undefined
      ? refuse(`the charset "${clip(name)}" is not supported; send ${Charset.supported}`)
      : Result.succeed({ format, charset })
  }
  return charset === "utf-8"
    ? Result.succeed({ format, charset: undefined })
    : refuse(`JSON is UTF-8; the charset "${clip(name)}" is not supported`)
}

export const parse: Parse = reader(Charset.documentTypes, "application/json, application/xml or text/xml")

export const parseEdi: Parse = reader([ediX12], ediX12)

export const parseJson: Parse = reader(jsonTypes, "application/json")
