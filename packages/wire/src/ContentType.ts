/**
 * Reads the headers that describe the body of a request (D2.5, D2.6): media type, charset, content coding.
 *
 * Guarantee: these headers mean the same in every interface. A body in another media type, charset or coding is refused as
 * `UnsupportedMediaType` (415) before a byte of it is read.
 */
import { clip } from "@dockline/core/values/Clip"
import { UnsupportedMediaType } from "@dockline/core/values/RequestErrors"
import { Result } from "effect"
import * as HeaderValue from "./HeaderValue.ts"

/** A supported charset. For `utf-16` the bytes determine the byte order. */
export type Charset = "utf-8" | "utf-16" | "utf-16le" | "utf-16be" | "iso-8859-1"

/** The charsets of XML, as an answer lists them. */
export const charsets = "UTF-8, UTF-16 or ISO-8859-1"

/** The charsets by name. ASCII is a subset of UTF-8. */
const charsetNames: Readonly<Record<string, Charset>> = {
  "utf-8": "utf-8",
  utf8: "utf-8",
  "us-ascii": "utf-8",
  ascii: "utf-8",
  "utf-16": "utf-16",
  "utf-16le": "utf-16le",
  "utf-16be": "utf-16be",
  "iso-8859-1": "iso-8859-1",
  "iso_8859-1": "iso-8859-1",
  "iso8859-1": "iso-8859-1",
  latin1: "iso-8859-1"
}

/** The charset with a name; `undefined` if it is not supported. */
export const charsetOf = (name: string): Charset | undefined => {
  const key = name.toLowerCase()
  return Object.hasOwn(charsetNames, key) ? charsetNames[key] : undefined
}

/** The media types of documents. */
export const documentTypes = ["application/json", "application/xml", "text/xml"] as const

const formats = {
  "application/json": "json",
  "application/xml": "xml",
  "text/xml": "xml",
  "application/x-www-form-urlencoded": "form",
  "multipart/form-data": "multipart"
} as const

type MediaType = keyof typeof formats

type Format = (typeof formats)[MediaType] | "text"

/** The format and the charset of a body, as its `Content-Type` says. */
export interface ContentType<Of extends Format = Format> {
  readonly format: Of
  /** The charset; `undefined` for formats that are always UTF-8, and if the header of XML or text names none. */
  readonly charset: Charset | undefined
}

/** Whether the sender chooses the charset of a format. */
const hasCharset = (format: Format): boolean => format === "xml" || format === "text"

type Headers = Readonly<Record<string, string | undefined>>

/** Reads the headers of a body; names are in lower case. */
export type Reader<Of extends Format = Format> = (
  headers: Headers
) => Result.Result<ContentType<Of>, UnsupportedMediaType>

/** Reads a `Content-Type`. Names are case-insensitive, and parameters other than `charset` are ignored. */
export type TypeReader<Of extends Format = Format> = (
  header: string | undefined
) => Result.Result<ContentType<Of>, UnsupportedMediaType>

/** Makes a reader of `Content-Type` for the media types that an interface accepts. */
export const typeReader = <Type extends MediaType>(
  ...supported: ReadonlyArray<Type>
): TypeReader<(typeof formats)[Type]> => typeReaderOf(supported, (type) => formats[type])

const typeReaderOf = <Type extends string, Of extends Format>(
  supported: ReadonlyArray<Type>,
  formatOf: (type: Type) => Of
): TypeReader<Of> => {
  const remedy = listOf(supported)
  const plain = new Map<string | undefined, Result.Result<ContentType<Of>>>(
    supported.map((type) => [type, Result.succeed({ format: formatOf(type), charset: undefined })])
  )
  return (header) => {
    const plainType = plain.get(header)
    if (plainType !== undefined) return plainType
    const refuse = (detail: string) => Result.fail(new UnsupportedMediaType({ supported, detail }))
    if (header === undefined || header.trim() === "") {
      return refuse(`the Content-Type header is missing; send ${remedy}`)
    }
    const elements = HeaderValue.parse(header)
    const element = elements[0]
    if (element === undefined || elements.length > 1 || !element.wellFormed || element.value !== "") {
      return refuse(`the Content-Type "${clip(header)}" is not a media type; send ${remedy}`)
    }
    const names = new Set(
      element.parameters.filter(({ name }) => name === "charset").map(({ value }) => value.toLowerCase())
    )
    if (names.size > 1) return refuse(`the Content-Type "${clip(header)}" names more than one charset`)
    const type = supported.find((each) => each === element.name)
    if (type === undefined) {
      return refuse(`the media type "${clip(element.name)}" is not supported; send ${remedy}`)
    }
    const format = formatOf(type)
    const [name] = names
    if (name === undefined) return Result.succeed({ format, charset: undefined })
    const charset = charsetOf(name)
    if (hasCharset(format)) {
      return charset === undefined
        ? refuse(`the charset "${clip(name)}" is not supported; send ${charsets}`)
        : Result.succeed({ format, charset })
    }
    return charset === "utf-8"
      ? Result.succeed({ format, charset: undefined })
      : refuse(`${formatNames[format]} is UTF-8; the charset "${clip(name)}" is not supported`)
  }
}

const formatNames: Readonly<Record<Format, string>> = {
  json: "JSON",
  xml: "XML",
  text: "text",
  form: "a form",
  multipart: "a form"
}

const listOf = (types: ReadonlyArray<string>): string =>
  types.length < 2 ? types.join() : `${types.slice(0, -1).join(", ")} or ${types.at(-1)}`

/** Makes a reader of all headers of a body in one of the media types. */
export const reader = <Type extends MediaType>(
  ...supported: ReadonlyArray<Type>
): Reader<(typeof formats)[Type]> => readerOf(supported, typeReader(...supported))

/** Makes a reader of all headers of a body that is text of one of the media types, in the charset that the sender chooses. */
export const textReader = (...types: ReadonlyArray<string>): Reader<"text"> =>
  readerOf(types, typeReaderOf(types, () => "text"))

const readerOf =
  <Of extends Format>(supported: ReadonlyArray<string>, read: TypeReader<Of>): Reader<Of> =>
  ({ "content-encoding": coding, "content-type": type }) => {
    if (coding === undefined || isIdentity(coding)) return read(type)
    return Result.fail(
      new UnsupportedMediaType({
        supported,
        detail: `the content coding "${
          clip(coding)
        }" is not supported; send the body as it is, without Content-Encoding`,
        isCoding: true
      })
    )
  }

const isIdentity = (coding: string): boolean =>
  coding.split(",").every((each) => ["", "identity"].includes(each.trim().toLowerCase()))
