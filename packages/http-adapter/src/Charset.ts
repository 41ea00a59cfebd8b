/**
 * The charsets of a body: their names, and strict decoding of bytes into text (D2.5, D2.6).
 *
 * Guarantee: bytes that are not valid in their charset are refused with the place of the first fault, never replaced;
 * the decoded text holds no lone surrogate and no byte order mark.
 */
import { Result } from "effect"
import { malformed, positionAt } from "./MalformedBody.ts"
import type { MalformedBody } from "./MalformedBody.ts"

/** A charset that can be decoded. `utf-16` takes its byte order from the bytes. */
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

/** The charset of an IANA name or common alias, in any case; `undefined` for one that is not supported. */
export const fromName = (name: string): Charset | undefined => names.get(name.toLowerCase())

/**
 * Decodes bytes strictly. A byte order mark of the charset is dropped. UTF-16 without one is big endian (RFC 2781),
 * unless it plainly starts with a little endian `<`.
 */
export const decode = (bytes: Uint8Array, charset: Charset): Result.Result<string, MalformedBody> => {
  switch (charset) {
    case "iso-8859-1":
      return Result.succeed(latin1(bytes))
    case "us-ascii":
      return ascii(bytes)
    case "utf-16":
      return decodeUnicode(bytes, isLittleEndian(bytes) ? "utf-16le" : "utf-16be")
    default:
      return decodeUnicode(bytes, charset)
  }
}

const isLittleEndian = (bytes: Uint8Array): boolean =>
  (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0x3c && bytes[1] === 0)

// TextDecoder's "iso-8859-1" is windows-1252 (WHATWG), which maps 0x80 to 0x9F elsewhere; Buffer's is the real one.
const latin1 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1")

const ascii = (bytes: Uint8Array): Result.Result<string, MalformedBody> => {
  const text = latin1(bytes)
  const fault = bytes.findIndex((byte) => byte > 0x7f)
  return fault < 0
    ? Result.succeed(text)
    : Result.fail(malformed(positionAt(text, fault), "the byte is not US-ASCII, which the body says it is"))
}

const decodeUnicode = (
  bytes: Uint8Array,
  encoding: "utf-8" | "utf-16le" | "utf-16be"
): Result.Result<string, MalformedBody> => {
  const text = tryDecode(bytes, encoding, false)
  return text === undefined ? Result.fail(locate(bytes, encoding)) : Result.succeed(text)
}

const tryDecode = (bytes: Uint8Array, encoding: string, partial: boolean): string | undefined => {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream: partial })
  } catch {
    // The one thing that `decode` of a known encoding can throw is that the bytes are not valid.
    return undefined
  }
}

/** Finds the first invalid byte: the longest prefix that still decodes, by bisection, as no decoder tells. */
const locate = (bytes: Uint8Array, encoding: "utf-8" | "utf-16le" | "utf-16be"): MalformedBody => {
  let valid = 0
  let invalid = bytes.length + 1
  while (invalid - valid > 1) {
    const middle = (valid + invalid) >>> 1
    if (tryDecode(bytes.subarray(0, middle), encoding, true) === undefined) invalid = middle
    else valid = middle
  }
  const before = tryDecode(bytes.subarray(0, valid), encoding, true) ?? ""
  const byte = bytes[valid]
  const found = byte === undefined
    ? "the body ends within a character"
    : `the byte 0x${byte.toString(16).padStart(2, "0").toUpperCase()} is out of place`
  return malformed(
    positionAt(before, before.length),
    `the body is not valid ${encoding.toUpperCase()}: ${found}`
  )
}
