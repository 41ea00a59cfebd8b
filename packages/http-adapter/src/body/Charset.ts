/**
 * Decodes bytes strictly into text (D2.5, D2.6): bytes that are not valid in their charset are refused with the place
 * of the first fault. The text holds no lone surrogate and no byte order mark.
 */
import type { MalformedBody } from "@dockline/core/internal/input/MalformedBody"
import * as Utf8 from "@dockline/core/internal/input/Utf8"
import type { Result } from "effect"

/** `utf-16` takes its byte order from the bytes. */
export type Charset = "utf-8" | "utf-16" | "utf-16le" | "utf-16be"

/** The charsets of XML, as an answer lists them. */
export const supported = "UTF-8 or UTF-16"

const names: ReadonlyMap<string, Charset> = new Map<string, Charset>([
  ["utf-8", "utf-8"],
  ["utf8", "utf-8"],
  ["utf-16", "utf-16"],
  ["utf-16le", "utf-16le"],
  ["utf-16be", "utf-16be"],
  // Each text in US-ASCII is one in UTF-8.
  ["us-ascii", "utf-8"]
])

/** `undefined` for a charset that is not supported. */
export const fromName = (name: string): Charset | undefined => names.get(name.toLowerCase())

/** UTF-16 without a byte order mark is big endian (RFC 2781), unless it starts with a little endian `<`. */
export const decode = (bytes: Uint8Array, charset: Charset): Result.Result<string, MalformedBody> =>
  Utf8.decode(bytes, charset !== "utf-16" ? charset : isLittleEndian(bytes) ? "utf-16le" : "utf-16be")

const isLittleEndian = (bytes: Uint8Array): boolean =>
  (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0x3c && bytes[1] === 0)
