/**
 * The media types of answers and bodies: negotiates the type of an answer from the `Accept` header (D2.8, D4.6, RFC 9110 section 12.5.1),
 * and reads the headers that describe the body of a request (D2.5, D2.6): media type, charset, content coding.
 *
 * Guarantee: in an answer, a type of quality 0 is never chosen. The most specific range that matches a type gives its quality, whatever its
 * position. Ranges that violate the grammar, or request a charset other than UTF-8, are ignored. The headers of a body mean the same in
 * every interface. Another media type, charset or coding is refused as `UnsupportedMediaType` (415) by the headers alone.
 * Parsing is linear in the length of a header and never throws.
 */
import { clip } from "@dockline/core/values/Clip"
import { UnsupportedMediaType } from "@dockline/core/values/RequestErrors"
import { Result } from "effect"

/** The media type of server-sent events, the format of GraphQL subscriptions over HTTP (D8.3). */
export const eventStream = "text/event-stream"

const restTypes = ["application/json", "application/xml", "text/xml"] as const
const resultTypes = ["application/json", "application/graphql-response+json"] as const

/** The media types of an answer over REST: JSON, or XML under either of its names (D2.8). */
export type RestType = (typeof restTypes)[number]

/** The media type of comma-separated values (RFC 4180), for lists. */
export const csv = "text/csv"

type GraphqlResultType = (typeof resultTypes)[number]

/** The media type of a REST answer: JSON unless the client prefers XML; also JSON when the client accepts neither. */
export const restType = (accept: string | undefined): RestType => typeOf(accept, restTypes)

/** The media type of a list over REST: the type of any REST answer, or CSV if the client prefers it. */
export const listType = (accept: string | undefined): RestType | typeof csv =>
  typeOf(accept, [...restTypes, csv])

/**
 * The media type of an answer among `offers`: the first one, unless the client prefers another. The first one also if the client accepts
 * none of them.
 */
export const typeOf = <const Type extends string>(
  accept: string | undefined,
  offers: readonly [Type, ...ReadonlyArray<Type>]
): Type => negotiate(accept, offers, "offered") ?? offers[0]

/**
 * The media type of a GraphQL answer; `undefined` when the client accepts none. Among equally preferred types, the first
 * that the client names wins.
 */
export const graphqlType = (
  accept: string | undefined
): GraphqlResultType | typeof eventStream | "text/html" | undefined =>
  negotiate(accept, [...resultTypes, eventStream, "text/html"], "named")

/** The media type of a single GraphQL result. The result is sent even if the client accepts no such type. */
export const graphqlResultType = (accept: string | undefined): GraphqlResultType =>
  negotiate(accept, resultTypes, "named") ?? "application/json"

/** Whether an `Accept` header names this media type itself, with a quality above 0. Wildcards do not count. */
export const isNamed = (accept: string | undefined, type: string): boolean => {
  const { quality, specificity } = matchOf(rangesOf(accept ?? ""), type)
  return quality > 0 && specificity === exactly
}

/** Whether an `Accept-Encoding` header names this content coding, with a quality above 0. A wildcard does not count. */
export const acceptsCoding = (acceptEncoding: string | undefined, coding: string): boolean =>
  rangesOf(acceptEncoding ?? "").some(({ range, quality }) => range === coding && quality > 0)

/**
 * Chooses by quality. At equal quality a named type wins over a wildcard, so `application/xml, *\/*` gives XML. `tie` says whether the
 * order of `offers` or of the header resolves the remaining ties.
 */
const negotiate = <Type extends string>(
  accept: string | undefined,
  offers: readonly [Type, ...ReadonlyArray<Type>],
  tie: "offered" | "named"
): Type | undefined => {
  if (accept === undefined || accept.trim() === "" || accept === offers[0]) return offers[0]
  const ranges = rangesOf(accept)
  let best: Type | undefined
  let bestMatch = none
  for (const type of offers) {
    const match = matchOf(ranges, type)
    const difference = match.quality - bestMatch.quality || match.specificity - bestMatch.specificity ||
      (tie === "named" ? bestMatch.position - match.position : 0)
    if (match.quality > 0 && difference > 0) {
      best = type
      bestMatch = match
    }
  }
  return best
}

interface Range {
  readonly range: string
  readonly quality: number
}

interface Match {
  readonly quality: number
  /** 3 for the type itself, 2 for `type/*`, 1 for any, 0 for no match. */
  readonly specificity: number
  readonly position: number
}

const exactly = 3

const none: Match = { quality: 0, specificity: 0, position: 0 }

const rangesOf = (header: string): ReadonlyArray<Range> => parseHeader(header).flatMap(toRange)

const toRange = ({ name, parameters, wellFormed }: HeaderElement): ReadonlyArray<Range> => {
  const valueOf = (wordName: string) => parameters.find((parameter) => parameter.name === wordName)?.value
  const weight = valueOf("q")
  const quality = Number(weight ?? 1)
  if (!wellFormed || weight === "" || !(quality >= 0 && quality <= 1)) return []
  if (!/^utf-?8$/i.test(valueOf("charset") ?? "utf-8")) return []
  // Java's HttpURLConnection sends a bare `*` for any type.
  return [{ range: name === "*" ? "*/*" : name, quality }]
}

const matchOf = (ranges: ReadonlyArray<Range>, type: string): Match => {
  const patterns = ["", "*/*", `${type.slice(0, type.indexOf("/"))}/*`, type]
  let best = none
  ranges.forEach(({ range, quality }, position) => {
    const specificity = patterns.indexOf(range)
    if (specificity > best.specificity) best = { quality, specificity, position }
  })
  return best
}

/** A parameter or preference: its name in lower case, and its value without quotes, in its original case (`""` if absent). */
export interface HeaderParameter {
  readonly name: string
  readonly value: string
}

export interface HeaderElement extends HeaderParameter {
  /** Whether the element follows the grammar; otherwise `parameters` has the parameters before the fault. */
  readonly wellFormed: boolean
  readonly parameters: ReadonlyArray<HeaderParameter>
}

/**
 * Reads a header value in the grammar that `Content-Type`, `Accept` and `Prefer` share: a comma-separated list of elements, each a word
 * with an optional value, followed by parameters (RFC 9110 section 5.6, RFC 7240 section 2). The caller joins several header lines with
 * `, `, as Node does. An element that violates the grammar is marked, and the elements after it are still read.
 */
export const parseHeader = (header: string): ReadonlyArray<HeaderElement> =>
  splitAt(header, ",").filter((text) => text.trim() !== "").map(parseElement)

const parseElement = (text: string): HeaderElement => {
  // An empty parameter (`text/xml;` or `;;`) is allowed by RFC 9110.
  const [first = "", ...rest] = splitAt(text, ";")
  const parts = [first, ...rest.filter((part) => part.trim() !== "")].map(parseParameter)
  const [head = malformed, ...parameters] = parts
  return {
    ...(head === malformed ? { name: "", value: "" } : head),
    wellFormed: !parts.includes(malformed),
    parameters: parameters.filter((parameter) => parameter !== malformed)
  }
}

const malformed: HeaderParameter = { name: "", value: "" }

/** A word; it may contain `/`, so that a media type is a word. */
const wordPattern = /^[!#$%&'*+.^_`|~0-9A-Za-z/-]*$/

const quotedPattern = /^"((?:[^"\\]|\\.)*)"$/s

/**
 * Reads a word, then `= word` or `= "quoted"`. Blanks are removed first, because a pattern with optional blanks on both sides of an
 * optional part backtracks quadratically.
 */
const parseParameter = (text: string): HeaderParameter => {
  const end = text.indexOf("=")
  const name = withoutBlanks(end < 0 ? text : text.slice(0, end))
  const value = end < 0 ? "" : withoutBlanks(text.slice(end + 1))
  if (name === "" || !wordPattern.test(name)) return malformed
  if (wordPattern.test(value)) return { name: name.toLowerCase(), value }
  const string = quotedPattern.exec(value)?.[1]
  return string === undefined
    ? malformed
    : { name: name.toLowerCase(), value: string.replaceAll(/\\(.)/gs, "$1") }
}

const isBlank = (character: string | undefined): boolean => character === " " || character === "\t"

const withoutBlanks = (text: string): string => {
  let [start, end] = [0, text.length]
  while (isBlank(text[start])) start++
  while (end > start && isBlank(text[end - 1])) end--
  return text.slice(start, end)
}

/** Splits at separators outside quoted strings. */
const splitAt = (text: string, separator: string): Array<string> => {
  const parts: Array<string> = []
  let start = 0
  let isQuoted = false
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (isQuoted && character === "\\") at++
    else if (character === "\"") isQuoted = !isQuoted
    else if (character === separator && !isQuoted) {
      parts.push(text.slice(start, at))
      start = at + 1
    }
  }
  parts.push(text.slice(start))
  return parts
}

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
export type ContentTypeReader<Of extends Format = Format> = (
  headers: Headers
) => Result.Result<ContentType<Of>, UnsupportedMediaType>

/** Reads a `Content-Type`. Names are case-insensitive, and parameters other than `charset` are ignored. */
export type MediaTypeReader<Of extends Format = Format> = (
  header: string | undefined
) => Result.Result<ContentType<Of>, UnsupportedMediaType>

/** Makes the reader of `Content-Type` for the media types that an interface accepts. */
export const mediaTypeReader = <Type extends MediaType>(
  ...supported: ReadonlyArray<Type>
): MediaTypeReader<(typeof formats)[Type]> => typeReaderOf(supported, (type) => formats[type])

const typeReaderOf = <Type extends string, Of extends Format>(
  supported: ReadonlyArray<Type>,
  formatOf: (type: Type) => Of
): MediaTypeReader<Of> => {
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
    const elements = parseHeader(header)
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

/** Makes the reader of all headers of a body in one of the media types. */
export const contentTypeReader = <Type extends MediaType>(
  ...supported: ReadonlyArray<Type>
): ContentTypeReader<(typeof formats)[Type]> => readerOf(supported, mediaTypeReader(...supported))

/** Makes the reader of all headers of a body that is text of one of the media types, in the charset that the sender chooses. */
export const textTypeReader = (...types: ReadonlyArray<string>): ContentTypeReader<"text"> =>
  readerOf(types, typeReaderOf(types, () => "text"))

const readerOf =
  <Of extends Format>(supported: ReadonlyArray<string>, read: MediaTypeReader<Of>): ContentTypeReader<Of> =>
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
