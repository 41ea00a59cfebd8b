/**
 * Decodes bytes strictly into text (D2.5, D2.6): bytes that are not valid in their charset are refused with the place
 * of the first fault. The text holds no lone surrogate and no byte order mark.
 */
import { malformed, positionAt } from "@dockline/core/internal/input/MalformedBody"
import type { MalformedBody } from "@dockline/core/internal/input/MalformedBody"
import * as Utf8 from "@dockline/core/internal/input/Utf8"
import { Result } from "effect"

/** `utf-16` takes its byte order from the bytes. */
export type Charset = "utf-8" | "utf-16" | "utf-16le" | "utf-16be" | "iso-8859-1" | "us-ascii"

/** The charsets of XML, as an answer lists them. */
export const supported = "UTF-8, UTF-16 or ISO-8859-1"

const names: ReadonlyMap<string, Charset> = new Map<string, Charset>([
  ["utf-8", "utf-8"],
  ["utf8", "utf-8"],
  ["utf-16", "utf-16"],
  ["utf-16le", "utf-16le"],
  ["utf-16be", "utf-16be"],
  ["iso-8859-1", "iso-8859-1"],
  ["iso_8859-1", "iso-8859-1"],
  ["iso8859-1", "iso-8859-1"],
  ["latin1", "iso-8859-1"],
  ["us-ascii", "us-ascii"],
  ["ascii", "us-ascii"]
])

/** `undefined` for a charset that is not supported. */
export const fromName = (name: string): Charset | undefined => names.get(name.toLowerCase())

/** UTF-16 without a byte order mark is big endian (RFC 2781), unless it starts with a little endian `<`. */
export const decode = (bytes: Uint8Array, charset: Charset): Result.Result<string, MalformedBody> => {
  switch (charset) {
    case "iso-8859-1":
      return Result.succeed(latin1(bytes))
    case "us-ascii":
      return ascii(bytes)
    case "utf-16":
      return Utf8.decode(bytes, isLittleEndian(bytes) ? "utf-16le" : "utf-16be")
    default:
      return Utf8.decode(bytes, charset)
  }
}

const isLittleEndian = (bytes: Uint8Array): boolean =>
  (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0x3c && bytes[1] === 0)

// TextDecoder's "iso-8859-1" is windows-1252 (WHATWG), which maps 0x80 to 0x9F elsewhere; Buffer's is the real one.
const latin1 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1")

const ascii = (bytes: Uint8Array): Result.Result<string, MalformedBody> => {
  const text = latin1(bytes)
  // oxlint-disable-next-line no-control-regex -- control characters are in US-ASCII
  const fault = text.search(/[^\u0000-\u007f]/)
  return fault < 0
    ? Result.succeed(text)
    : Result.fail(malformed(positionAt(text, fault), "the byte is not US-ASCII, which the body says it is"))
}
