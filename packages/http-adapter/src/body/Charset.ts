/**
 * Decodes bytes strictly into text (D2.5, D2.6): bytes that are not valid in their charset are refused with the position of the first
 * fault. The text has no lone surrogate and no byte order mark.
 *
 * The charset of an XML body comes from the `Content-Type` header, else from the byte order mark, else from the XML declaration; otherwise
 * it is UTF-8. If the header names the charset, the declaration is ignored, because it is often wrong: .NET declares UTF-16, whatever the
 * charset of the text is.
 */
import * as JsonText from "@dockline/core/input/JsonText"
import { malformed } from "@dockline/core/input/JsonText"
import type { MalformedBody } from "@dockline/core/input/JsonText"
import { clip } from "@dockline/core/values/Clip"
import { UnsupportedMediaType } from "@dockline/core/values/RequestErrors"
import { charsetOf, charsets, documentTypes } from "@dockline/wire/MediaType"
import type { Charset } from "@dockline/wire/MediaType"
import { Result } from "effect"

const unsupported = (detail: string): UnsupportedMediaType =>
  new UnsupportedMediaType({ supported: documentTypes, detail })

/** Decodes bytes of a charset. UTF-16 without a byte order mark is big endian (RFC 2781), unless it starts with a little endian `<`. */
export const decode = (bytes: Uint8Array, charset: Charset): Result.Result<string, MalformedBody> => {
  if (charset === "iso-8859-1") return Result.succeed(latin1(bytes))
  if (charset !== "utf-16") return JsonText.decode(bytes, charset)
  return JsonText.decode(bytes, begins(bytes, 0xff, 0xfe) || begins(bytes, 0x3c, 0) ? "utf-16le" : "utf-16be")
}

/** Decodes an XML body; `header` is the charset of the `Content-Type`, if it names one. */
export const decodeXml = (
  bytes: Uint8Array,
  header: Charset | undefined
): Result.Result<string, MalformedBody | UnsupportedMediaType> => {
  if (header !== undefined) return decode(bytes, header)
  if (begins(bytes, 0, 0, 0xfe, 0xff) || begins(bytes, 0xff, 0xfe, 0, 0)) {
    return Result.fail(unsupported(`the body is UTF-32, which is not supported; send ${charsets}`))
  }
  const evident = evidentCharset(bytes)
  if (evident !== undefined) {
    return Result.flatMap(decode(bytes, evident), (text) => {
      const declaration = declaredEncoding(text)
      return declaration === undefined || charsetOf(declaration)?.startsWith(evident) === true
        ? Result.succeed(text)
        : contradiction(declaration, evident.toUpperCase())
    })
  }
  // Without a mark, the bytes extend ASCII, so the declaration is readable as Latin-1.
  const declaration = declaredEncoding(latin1(bytes.subarray(0, declarationLimit)))
  const charset = charsetOf(declaration ?? "utf-8")
  if (charset === undefined) {
    const detail = `the XML declaration's encoding "${
      clip(declaration ?? "")
    }" is not supported; send ${charsets}`
    return Result.fail(unsupported(detail))
  }
  return charset.startsWith("utf-16")
    ? contradiction(declaration ?? "", "not UTF-16")
    : decode(bytes, charset)
}

/** The charset that is certain from the first bytes: a byte order mark, or `<` in UTF-16 (XML 1.0, appendix F.1). */
const evidentCharset = (bytes: Uint8Array): "utf-8" | "utf-16" | undefined => {
  if (begins(bytes, 0xef, 0xbb, 0xbf)) return "utf-8"
  return [[0xfe, 0xff], [0xff, 0xfe], [0, 0x3c], [0x3c, 0]].some((mark) => begins(bytes, ...mark))
    ? "utf-16"
    : undefined
}

/** How many bytes of the body are searched for the declaration. */
const declarationLimit = 1024

const declaredEncoding = (text: string): string | undefined =>
  /^<\?xml[ \t\r\n][^>]*?[ \t\r\n]encoding[ \t\r\n]*=[ \t\r\n]*["']([A-Za-z][A-Za-z0-9._-]*)["']/.exec(
    text.slice(0, declarationLimit)
  )?.[1]

const contradiction = (declaredName: string, actual: string) =>
  Result.fail(malformed(
    { line: 1, column: 1 },
    `the XML declaration says "${clip(declaredName)}" but the body is ${actual}; ` +
      "correct the declaration or name the charset in the Content-Type header"
  ))

/**
 * Decodes text labelled ISO-8859-1 as windows-1252, as the WHATWG Encoding Standard requires: senders mean its characters for the bytes 80
 * to 9F. Some versions of Node decode these bytes as control characters.
 */
const latin1 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1").replaceAll(
    /[\x80-\x9f]/g,
    (character) => windows1252[character.charCodeAt(0) - 0x80] ?? character
  )

/** The characters of the bytes 80 to 9F. Five of these bytes have none, and stay control characters. */
const windows1252 = Array.from("€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ")

const begins = (bytes: Uint8Array, ...prefix: ReadonlyArray<number>): boolean =>
  prefix.every((byte, index) => bytes[index] === byte)
