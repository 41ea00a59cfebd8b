/**
 * Decodes an XML body by the charset of the `Content-Type` header, else of the byte order mark, else of the XML
 * declaration, else in UTF-8 (D2.5). Where the header names the charset, the declaration is ignored, as it is often
 * wrong: .NET writes UTF-16, whatever charset the text is sent in.
 */
import { malformed } from "@dockline/core/internal/input/MalformedBody"
import type { MalformedBody } from "@dockline/core/internal/input/MalformedBody"
import { clip } from "@dockline/core/internal/values/Clip"
import type { UnsupportedMediaType } from "@dockline/core/RequestErrors"
import { Result } from "effect"
import * as Charset from "./Charset.ts"
import { unsupported } from "./ContentType.ts"

export const decode = (
  bytes: Uint8Array,
  header: Charset.Charset | undefined
): Result.Result<string, MalformedBody | UnsupportedMediaType> => {
  if (header !== undefined) return Charset.decode(bytes, header)
  if (startsWith(bytes, [0, 0, 0xfe, 0xff]) || startsWith(bytes, [0xff, 0xfe, 0, 0])) {
    return Result.fail(unsupported(`the body is UTF-32, which is not supported; send ${Charset.supported}`))
  }
  const evident = evidentCharset(bytes)
  return evident === undefined ? decodeAsDeclared(bytes) : decodeAsEvident(bytes, evident)
}

/** The charset that the first bytes prove: a byte order mark, or `<` in UTF-16 (XML 1.0, appendix F.1). */
const evidentCharset = (bytes: Uint8Array): "utf-8" | "utf-16" | undefined => {
  if (startsWith(bytes, [0xef, 0xbb, 0xbf])) return "utf-8"
  if (startsWith(bytes, [0xfe, 0xff]) || startsWith(bytes, [0xff, 0xfe])) return "utf-16"
  return startsWith(bytes, [0, 0x3c]) || startsWith(bytes, [0x3c, 0]) ? "utf-16" : undefined
}

const decodeAsEvident = (
  bytes: Uint8Array,
  evident: "utf-8" | "utf-16"
): Result.Result<string, MalformedBody> => {
  const text = Charset.decode(bytes, evident)
  if (Result.isFailure(text)) return text
  const declared = declaredEncoding(text.success.slice(0, declarationLimit))
  return declared === undefined || Charset.fromName(declared)?.startsWith(evident) === true
    ? text
    : Result.fail(contradiction(declared, evident.toUpperCase()))
}

/** No mark: the bytes extend ASCII, so the declaration is readable as Latin-1. */
const decodeAsDeclared = (bytes: Uint8Array): Result.Result<string, MalformedBody | UnsupportedMediaType> => {
  const start = Charset.decode(bytes.subarray(0, declarationLimit), "iso-8859-1")
  const declared = Result.isSuccess(start) ? declaredEncoding(start.success) : undefined
  if (declared === undefined) return Charset.decode(bytes, "utf-8")
  const charset = Charset.fromName(declared)
  if (charset === undefined) {
    return Result.fail(
      unsupported(
        `the XML declaration's encoding "${clip(declared)}" is not supported; send ${Charset.supported}`
      )
    )
  }
  return charset.startsWith("utf-16")
    ? Result.fail(contradiction(declared, "not UTF-16"))
    : Charset.decode(bytes, charset)
}

/** How much of the body is searched for the declaration. */
const declarationLimit = 1024

const declaredEncoding = (start: string): string | undefined =>
  /^<\?xml[ \t\r\n][^>]*?[ \t\r\n]encoding[ \t\r\n]*=[ \t\r\n]*["']([A-Za-z][A-Za-z0-9._-]*)["']/.exec(start)
    ?.[1]

const contradiction = (declared: string, actual: string): MalformedBody =>
  malformed(
    { line: 1, column: 1 },
    `the XML declaration says "${clip(declared)}" but the body is ${actual}; ` +
      "correct the declaration or name the charset in the Content-Type header"
  )

const startsWith = (bytes: Uint8Array, prefix: ReadonlyArray<number>): boolean =>
  prefix.every((byte, index) => bytes[index] === byte)
